package org.rowlock.internal.value;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Arguments;

/**
 * How long a call waits for locks. Waits are ordered by length.
 *
 * @param nanos the wait in nanoseconds: 0 for no wait, and {@link Long#MAX_VALUE} for a wait without a bound
 */
public record LockWait(long nanos) implements Comparable<LockWait> {
    /** The longest wait that lock_timeout can express: 24.8 days. */
    public static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    public static final LockWait FOREVER = new LockWait(Long.MAX_VALUE);
    public static final LockWait NO_WAIT = new LockWait(0);

    private static final long MILLI_NANOS = 1_000_000;

    /** Returns a bounded wait; no wait if the duration is zero. Refuses a duration that the server cannot express. */
    public static LockWait atMost(Duration duration) {
        Arguments.notNull(duration, "The duration of a bounded wait is null; give a duration, or use forever()");
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "A wait of at most " + duration + " is negative; give a positive duration, or use noWait()");
        }
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("A wait of at most " + duration
                    + " is more than PostgreSQL's lock_timeout can express (" + LONGEST + "); use forever()");
        }
        return new LockWait(duration.toNanos());
    }

    /** Returns the bound in whole milliseconds, rounded up, for lock_timeout. The wait must be bounded. */
    public int millis() {
        return (int) ((nanos + MILLI_NANOS - 1) / MILLI_NANOS);
    }

    /** Returns the bound, or null if there is none. */
    public @Nullable Duration duration() {
        return nanos == Long.MAX_VALUE ? null : Duration.ofNanos(nanos);
    }

    /**
     * Returns the remaining part of a bounded wait; no wait if the bound has passed. Other waits are returned
     * unchanged.
     *
     * @param startNanos the value of {@link System#nanoTime()} when the wait began
     */
    public LockWait remaining(long startNanos) {
        if (!isBounded()) {
            return this;
        }
        long left = nanos - (System.nanoTime() - startNanos);
        return left <= 0 ? NO_WAIT : new LockWait(left);
    }

    public boolean isNoWait() {
        return nanos == 0;
    }

    /** Whether the wait has a bound other than zero. */
    public boolean isBounded() {
        return nanos != 0 && nanos != Long.MAX_VALUE;
    }

    @Override
    public int compareTo(LockWait other) {
        return Long.compare(nanos, other.nanos);
    }

    /**
     * Returns the wait as in the API: {@code forever}, {@code noWait} or {@code atMost 0.2s}. Milliseconds are rounded
     * up, because the remaining part of a wait has digits that no caller has asked for.
     */
    @Override
    public String toString() {
        return isBounded()
                ? "atMost "
                        + Duration.ofMillis(millis()).toString().substring(2).toLowerCase(Locale.ROOT)
                : isNoWait() ? "noWait" : "forever";
    }
}
