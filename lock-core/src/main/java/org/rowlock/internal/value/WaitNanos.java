package org.rowlock.internal.value;

import java.time.Duration;
import java.util.Locale;
import org.rowlock.LockWait;

/** A wait in nanoseconds: 0 for no wait, and {@link Long#MAX_VALUE} for a wait without a bound. */
public record WaitNanos(long nanos) implements LockWait {
    /** The longest wait that lock_timeout can express. */
    public static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    public static final LockWait FOREVER = new WaitNanos(Long.MAX_VALUE);
    public static final LockWait NO_WAIT = new WaitNanos(0);

    private static final long MILLI_NANOS = 1_000_000;

    public static long nanos(LockWait wait) {
        return ((WaitNanos) wait).nanos;
    }

    /** Returns the bound in whole milliseconds, rounded up, for lock_timeout. The wait must be bounded. */
    public static int millis(LockWait wait) {
        return (int) ((nanos(wait) + MILLI_NANOS - 1) / MILLI_NANOS);
    }

    /**
     * Returns the remaining part of a bounded wait; no wait if the bound has passed. Other waits are returned
     * unchanged.
     *
     * @param startNanos the value of {@link System#nanoTime()} when the wait began
     */
    public static LockWait remaining(LockWait wait, long startNanos) {
        if (!isBounded(wait)) {
            return wait;
        }
        long left = nanos(wait) - (System.nanoTime() - startNanos);
        return left <= 0 ? NO_WAIT : new WaitNanos(left);
    }

    public static boolean isNoWait(LockWait wait) {
        return nanos(wait) == 0;
    }

    /** Whether the wait has a bound other than zero. */
    public static boolean isBounded(LockWait wait) {
        return nanos(wait) != 0 && nanos(wait) != Long.MAX_VALUE;
    }

    @Override
    public int compareTo(LockWait other) {
        return Long.compare(nanos, nanos(other));
    }

    /** Returns the wait as in the API: {@code forever}, {@code noWait} or {@code atMost 0.2s}. */
    @Override
    public String toString() {
        return isBounded(this)
                ? "atMost " + Duration.ofNanos(nanos).toString().substring(2).toLowerCase(Locale.ROOT)
                : isNoWait(this) ? "noWait" : "forever";
    }
}
