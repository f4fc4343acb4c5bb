package org.rowlock.jmh.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Guesses what somebody who mistyped a name had in mind. */
final class Nearest {
    /** One letter in so many may be wrong, and two in a short word. */
    private static final int LETTERS_PER_MISTAKE = 3;

    private Nearest() {}

    /** The name nearest to a word; empty if none is near. */
    static Optional<String> to(String word, Collection<String> names) {
        String lower = word.toLowerCase(Locale.ROOT);
        int mistakes = Math.max(2, word.length() / LETTERS_PER_MISTAKE);
        return names.stream()
                .filter(name -> distance(lower, name) <= Math.min(mistakes, name.length() - 1)
                        || (lower.length() > 2 && name.startsWith(lower)))
                .min(Comparator.comparingInt(name -> distance(lower, name)));
    }

    /** A message about a word that is none of the names, with a guess where there is one. */
    static String message(String what, String word, Collection<String> names) {
        String guess =
                to(word, names).map(name -> " Did you mean " + name + "?").orElse("");
        return "There is no " + what + " '" + word + "'." + guess + " There are: " + String.join(", ", names) + ".";
    }

    /** How many letters must be added, removed, changed, or swapped with the next. */
    private static int distance(String from, String to) {
        int[][] distance = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    distance[i][j] = i + j;
                    continue;
                }
                int changed = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                int least = Math.min(
                        distance[i - 1][j - 1] + changed, 1 + Math.min(distance[i - 1][j], distance[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                distance[i][j] = swapped ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
            }
        }
        return distance[from.length()][to.length()];
    }
}
