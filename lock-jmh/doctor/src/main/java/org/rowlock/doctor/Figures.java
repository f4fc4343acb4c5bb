package org.rowlock.doctor;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Writes figures as a person reads them. */
final class Figures {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final List<String> BYTES = List.of("B", "KB", "MB", "GB", "TB");
    private static final int MAX_STATEMENT = 160;

    private Figures() {}

    /** {@code 61 %}, and a digit more below ten. */
    static String percent(double share) {
        double percent = share * 100;
        return (percent >= 9.95 || percent == 0 ? whole(percent) : fixed(1, percent)) + " %";
    }

    /** {@code 38.2}, an average of sessions. */
    static String sessions(double average) {
        return average > 0 && average < 0.05 ? fixed(2, average) : fixed(1, average);
    }

    /** {@code 1,234,567}. */
    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** {@code 1,234}, with digits behind the point where they matter. */
    static String number(double number) {
        return number == 0 || number >= 10 ? whole(number) : fixed(2, number);
    }

    /** {@code 65.2 ms}. */
    static String millis(double millis) {
        if (millis >= 1_000) {
            return seconds(millis / 1_000);
        }
        return fixed(millis < 0.1 ? 3 : millis < 1 ? 2 : 1, millis) + " ms";
    }

    /** In its largest unit: {@code 3 h}, {@code 14 min}, {@code 2.3 s}. */
    static String seconds(double seconds) {
        if (seconds < 1) {
            return millis(seconds * 1_000);
        }
        if (seconds < 120) {
            return (seconds < 10 ? fixed(1, seconds) : whole(seconds)) + " s";
        }
        if (seconds < 7_200) {
            return whole(seconds / 60) + " min";
        }
        return seconds < 172_800 ? whole(seconds / 3_600) + " h" : whole(seconds / 86_400) + " days";
    }

    /** Of a table. */
    static String vacuumed(@Nullable Double secondsAgo) {
        return secondsAgo == null ? "never vacuumed" : "vacuumed " + seconds(secondsAgo) + " ago";
    }

    /** At the beginning of a sentence. */
    static String upper(String text) {
        return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    static String bytes(double bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1_000 && unit < BYTES.size() - 1) {
            value /= 1_000;
            unit++;
        }
        return (unit == 0 || value >= 10 ? whole(value) : fixed(1, value)) + " " + BYTES.get(unit);
    }

    /** Cut where it is longer than a few lines. */
    static String statement(String sql) {
        return sql.length() <= MAX_STATEMENT ? sql : sql.substring(0, MAX_STATEMENT - 4) + " ...";
    }

    /** A server's message with the full stop that most of them lack. */
    static String sentence(@Nullable String message) {
        String text = SPACE.matcher(String.valueOf(message)).replaceAll(" ").strip();
        return text.endsWith(".") ? text : text + ".";
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String fixed(int decimals, double value) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
