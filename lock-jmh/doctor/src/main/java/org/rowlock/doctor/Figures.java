package org.rowlock.doctor;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats figures, and fills them into the sentences of words.properties. */
final class Figures {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    /** A figure in a text, with the noun and the verb that agree with it. */
    private static final Pattern FIGURE = Pattern.compile(
            "\\{(\\w+)}((?: busy)?(?: (?:session|sample|call|row)(?=s\\b))?)(s?)( (?:wait|contend|run|keep)\\b)?");

    private static final List<String> BYTES = List.of("B", "KB", "MB", "GB", "TB");
    private static final int MAX_STATEMENT = 160;
    private static final int MAX_CLAUSE = 40;

    private static final ResourceBundle TEXTS = ResourceBundle.getBundle("org.rowlock.doctor.words");

    static final Set<String> WORDS = TEXTS.keySet();

    private Figures() {}

    /** Returns the text of this key in words.properties, with its figures filled in; empty if the key has no text. */
    static String words(String key, Object... sources) {
        return WORDS.contains(key) ? fill(TEXTS.getString(key), sources) : "";
    }

    /**
     * Replaces each {@code {name}} in the text by the figure of that name. A source is a map or a record. The first
     * source that has the figure is used. If a figure is 1, the noun and the verb after the figure become singular.
     */
    static String fill(String text, Object... sources) {
        return FIGURE.matcher(text).replaceAll(figure -> {
            String shown = show(figure.group(1), value(figure.group(1), sources));
            boolean isOne = shown.equals("1");
            String verb = figure.group(4);
            return Matcher.quoteReplacement(shown
                    + figure.group(2)
                    + (isOne ? "" : figure.group(3))
                    + (verb == null ? "" : isOne ? verb + "s" : verb));
        });
    }

    private static @Nullable Object value(String name, Object... sources) {
        for (Object source : sources) {
            if (source instanceof Map<?, ?> facts && facts.containsKey(name)) {
                return facts.get(name);
            }
            try {
                return source.getClass().getDeclaredMethod(name).invoke(source);
            } catch (NoSuchMethodException e) {
                // This source lacks the figure, so the loop tries the next one.
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("The figure " + name + " of " + source + " cannot be read", e);
            }
        }
        if (!WORDS.contains("figure." + name)) {
            throw new IllegalStateException("Nothing has a figure " + name + ": " + List.of(sources));
        }
        return words("figure." + name, sources);
    }

    /** Formats a figure. The last word of its name, such as Millis, is its unit. */
    static String show(String name, @Nullable Object value) {
        if (value instanceof Map<?, ?> figures) {
            return figures.entrySet().stream()
                    .map(each -> each.getKey() + " " + show(name, each.getValue()))
                    .collect(Collectors.joining(", "));
        }
        if (!(value instanceof Number number)) {
            return title(value);
        }
        double figure = number.doubleValue();
        String unit = name.replaceAll(".*(?=[A-Z])|.*_", "");
        return switch (unit) {
            case "Share" -> percent(figure);
            case "Millis", "millis" -> millis(figure);
            case "Seconds", "seconds" -> seconds(figure);
            case "Bytes", "bytes" -> bytes(figure);
            default -> number(figure);
        };
    }

    /** Spells an enum constant in words, and converts any other value by its toString. */
    static String title(@Nullable Object value) {
        String text = String.valueOf(value);
        return value instanceof Enum ? text.toLowerCase(Locale.ROOT).replace('_', ' ') : text;
    }

    /** Formats a share as {@code 61 %}. Only a percentage below ten has decimals. */
    static String percent(double share) {
        double percent = share * 100;
        return number(percent < 9.95 ? percent : Math.rint(percent)) + " %";
    }

    /** Formats a number as {@code 1,234} or {@code 38.2}, with fewer decimals for larger numbers. */
    static String number(double number) {
        String digits = number >= 100 ? "#,##0" : number >= 1 ? "0.#" : number >= 0.1 ? "0.##" : "0.###";
        return new DecimalFormat(digits, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(number);
    }

    static String millis(double millis) {
        return millis >= 1_000 ? seconds(millis / 1_000) : number(millis) + " ms";
    }

    static String seconds(double seconds) {
        if (seconds < 1) {
            return number(seconds * 1_000) + " ms";
        }
        if (seconds < 120) {
            return number(seconds) + " s";
        }
        if (seconds < 7_200) {
            return Math.round(seconds / 60) + " min";
        }
        return seconds < 172_800 ? Math.round(seconds / 3_600) + " h" : Math.round(seconds / 86_400) + " days";
    }

    static String bytes(double bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1_000 && unit < BYTES.size() - 1) {
            value /= 1_000;
            unit++;
        }
        return number(value) + " " + BYTES.get(unit);
    }

    static String upper(String text) {
        return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    static String statement(String sql) {
        return statement(sql, MAX_STATEMENT);
    }

    /** Truncates a statement, but keeps its locking clause, because the clause shows the lock mode. */
    static String statement(String sql, int most) {
        if (sql.length() <= most) {
            return sql;
        }
        int clause = StatementKind.clauseAt(sql);
        int kept = most - " ...".length();
        String end = clause < kept ? "" : " " + sql.substring(clause, Math.min(sql.length(), clause + MAX_CLAUSE));
        return sql.substring(0, Math.max(0, kept - end.length())) + " ..." + end;
    }

    /** Puts the message on one line and ends it with a full stop. */
    static String sentence(@Nullable String message) {
        String text = SPACE.matcher(String.valueOf(message)).replaceAll(" ").strip();
        return text.endsWith(".") ? text : text + ".";
    }
}
