package org.rowlock.jmh.cli;

import java.time.Duration;

/** Durations for a person: no more than is known. */
final class Durations {
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;

    private Durations() {}

    /** Such as {@code 40 s}, {@code 8 min} or {@code 2 h 10 min}. */
    static String text(Duration duration) {
        long seconds = Math.round(duration.toMillis() / 1e3);
        if (seconds < 2 * MINUTE) {
            return seconds + " s";
        }
        long minutes = Math.round((double) seconds / MINUTE);
        return seconds < 2 * HOUR
                ? minutes + " min"
                : minutes / MINUTE + " h" + (minutes % MINUTE == 0 ? "" : " " + minutes % MINUTE + " min");
    }
}
