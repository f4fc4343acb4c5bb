package org.rowlock.spring.internal.annotation;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.value.LockWait;
import org.rowlock.spring.RowLock;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Parses and shortens waits. A wait is written as text in {@link RowLock#lockWait()} and in the property
 * {@code rowlock.lock-wait}.
 */
public final class LockWaits {
    private LockWaits() {}

    /** Parses {@code forever}, {@code nowait}, or a duration such as {@code 200ms} or {@code 2s}. */
    public static LockWait parse(String text) {
        String trimmed = text.trim();
        return switch (trimmed.toLowerCase(Locale.ROOT)) {
            case "forever" -> LockWait.FOREVER;
            case "nowait" -> LockWait.NO_WAIT;
            default -> bounded(trimmed);
        };
    }

    /** Returns the wait of a setting; a wait without a bound if the setting is null. */
    public static LockWait of(@Nullable Duration bound) {
        return bound == null ? LockWait.FOREVER : LockWait.atMost(bound);
    }

    private static LockWait bounded(String text) {
        try {
            return LockWait.atMost(DurationFormatterUtils.detectAndParse(text));
        } catch (IllegalArgumentException e) {
            // The exception has no cause, because Spring Boot would show the message of the cause, which mentions only
            // durations.
            throw new IllegalArgumentException(
                    "'" + text + "' is not a wait; write forever, nowait, or a duration such as 200ms, up to 24d");
        }
    }

    /** Returns the shorter of two waits. A bound above 24.8 days, which the server cannot express, is ignored. */
    public static LockWait atMost(LockWait wait, Duration bound) {
        if (bound.compareTo(LockWait.LONGEST) > 0) {
            return wait;
        }
        LockWait other = LockWait.atMost(bound);
        return wait.compareTo(other) <= 0 ? wait : other;
    }

    /** Returns the rest of a wait that has already begun; {@code noWait} if the wait is over. */
    public static LockWait remaining(LockWait wait, long startNanos) {
        LockWait left = wait.remaining(startNanos);
        // The result is rounded to milliseconds, the unit of the server's lock_timeout and of messages.
        return left.isBounded() ? LockWait.atMost(Duration.ofMillis(left.nanos() / 1_000_000)) : left;
    }
}
