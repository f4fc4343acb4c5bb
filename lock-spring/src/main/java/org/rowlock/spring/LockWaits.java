package org.rowlock.spring;

import java.time.Duration;
import java.util.Locale;
import org.rowlock.LockWait;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Waits as text. */
final class LockWaits {
    private LockWaits() {}

    /**
     * Reads a wait.
     *
     * @throws IllegalArgumentException if it is none
     */
    static LockWait parse(String text) {
        String trimmed = text.trim();
        return switch (trimmed.toLowerCase(Locale.ROOT)) {
            case "forever" -> LockWait.forever();
            case "nowait" -> LockWait.noWait();
            default -> LockWait.atMost(duration(trimmed));
        };
    }

    private static Duration duration(String text) {
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no wait; write forever, nowait, or a duration such as 200ms or 2s", e);
        }
    }

    /** The shorter of two. */
    static LockWait atMost(LockWait wait, Duration bound) {
        if (wait instanceof LockWait.NoWait) {
            return wait;
        }
        if (wait instanceof LockWait.AtMost asked && asked.duration().compareTo(bound) <= 0) {
            return wait;
        }
        return LockWait.atMost(bound);
    }

    /** What is left of a wait that began some time ago; none if it is over. */
    static LockWait remaining(LockWait wait, long startNanos) {
        if (!(wait instanceof LockWait.AtMost bound)) {
            return wait;
        }
        Duration left = bound.duration().minusNanos(System.nanoTime() - startNanos);
        return left.isNegative() ? LockWait.noWait() : LockWait.atMost(left);
    }
}
