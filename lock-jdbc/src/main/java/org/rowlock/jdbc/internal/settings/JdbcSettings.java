package org.rowlock.jdbc.internal.settings;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.rowlock.LockFront;
import org.rowlock.LockRelease;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.RowlockMode;

/**
 * What one DataSource or URL is set to.
 *
 * @param name what it is called where it is shown
 * @param include the tables that are looked at, or none for all
 * @param exclude the tables that are left out
 * @param release when the commits of transactions that had a turn let go of their locks
 * @param front whether an advisory lock of the row goes in front of a first lock
 * @param largestGroup how many UPDATEs in autocommit may share a transaction; 1 for none
 */
public record JdbcSettings(
        String name,
        RowlockMode mode,
        List<String> include,
        List<String> exclude,
        LockRelease release,
        LockFront front,
        int largestGroup) {
    /**
     * The driver sends a Sync, which commits, where it expects answers of 64,000 bytes, of which it counts 250 for each
     * statement.
     */
    public static final int MOST_IN_GROUP = 128;

    public static final int DEFAULT_GROUP = 64;

    /** The settings by their keys, in URLs behind {@code rowlock.}; and the word that each has where none is given. */
    static final Map<String, String> DEFAULTS = defaults();

    /** Between names; in quotes it is part of one. */
    private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    private static Map<String, String> defaults() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("mode", "queue");
        words.put("include", "");
        words.put("exclude", "");
        words.put("release", "plain");
        words.put("front", "adaptive");
        words.put("group", "off");
        return words;
    }

    public JdbcSettings {
        if (largestGroup < 1 || largestGroup > MOST_IN_GROUP) {
            throw new IllegalArgumentException("A group cannot have " + largestGroup + " members: use 1 for none, or up"
                    + " to " + MOST_IN_GROUP + ", which the driver still sends at once");
        }
        include = normalized(include);
        exclude = normalized(exclude);
    }

    /**
     * What is not given is as the system properties {@code rowlock.jdbc.*} have it.
     *
     * @param given some of {@link #DEFAULTS}, by other words
     */
    public static JdbcSettings of(String name, Map<String, String> given) {
        Map<String, String> words = new HashMap<>();
        DEFAULTS.forEach((key, word) ->
                words.put(key, given.getOrDefault(key, System.getProperty("rowlock.jdbc." + key, word))));
        return ofWords(name, key -> Objects.requireNonNull(words.get(key)));
    }

    private static JdbcSettings ofWords(String name, UnaryOperator<String> words) {
        return new JdbcSettings(
                name,
                RowlockMode.of(words.apply("mode")),
                tables(words.apply("include")),
                tables(words.apply("exclude")),
                named("release", LockRelease.values(), words.apply("release"), "plain or early"),
                named("front", LockFront.values(), words.apply("front"), "adaptive, always or never"),
                largestGroup(words.apply("group")));
    }

    /** The word for one of {@link #DEFAULTS}. */
    public String word(String key) {
        return switch (key) {
            case "mode" -> mode.toString();
            case "include" -> String.join(",", include);
            case "exclude" -> String.join(",", exclude);
            case "release" -> release.name().toLowerCase(Locale.ROOT);
            case "front" -> front.name();
            case "group" -> largestGroup < 2 ? "off" : Integer.toString(largestGroup);
            default -> throw new IllegalArgumentException(key);
        };
    }

    /** With another word for one of {@link #DEFAULTS}. */
    public JdbcSettings with(String changed, String word) {
        return ofWords(name, key -> key.equals(changed) ? word : word(key));
    }

    private static <E extends Enum<E>> E named(String what, E[] all, String word, String which) {
        for (E each : all) {
            if (each.name().equalsIgnoreCase(word.trim())) {
                return each;
            }
        }
        throw new IllegalArgumentException("There is no " + what + " <" + word + ">; use " + which);
    }

    private static int largestGroup(String word) {
        String trimmed = word.trim();
        if (trimmed.equalsIgnoreCase("off") || trimmed.equalsIgnoreCase("on")) {
            return trimmed.equalsIgnoreCase("on") ? DEFAULT_GROUP : 1;
        }
        try {
            return Integer.parseInt(trimmed);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "There is no group <" + word + ">; use off, on, or how many may share a transaction", e);
        }
    }

    /** Whether statements on a table are looked at. */
    public boolean covers(String table) {
        return (include.isEmpty() || matches(include, table)) && !matches(exclude, table);
    }

    private static List<String> tables(String list) {
        return Arrays.stream(COMMA.split(list, -1))
                .map(String::trim)
                .filter(table -> !table.isEmpty())
                .toList();
    }

    /**
     * Tables as one word.
     *
     * @throws IllegalArgumentException if a name is malformed
     */
    public static String list(List<String> tables) {
        return String.join(",", normalized(tables));
    }

    private static List<String> normalized(List<String> tables) {
        return tables.stream().map(TableName::normalize).toList();
    }

    /** A name without a schema means that of any schema. */
    private static boolean matches(List<String> names, String table) {
        for (String name : names) {
            if (name.equals(table)
                    || (table.endsWith(name) && table.charAt(table.length() - name.length() - 1) == '.')) {
                return true;
            }
        }
        return false;
    }
}
