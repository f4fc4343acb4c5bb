package org.rowlock.internal.text;

import java.time.Duration;
import java.util.Locale;
import org.rowlock.LockWait;

/** A wait in nanoseconds: zero for none, and {@link Long#MAX_VALUE} for one without a bound. */
public record WaitNanos(long nanos) implements LockWait {
    /** The longest that lock_timeout can express. */
    public static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    public static final LockWait FOREVER = new WaitNanos(Long.MAX_VALUE);
    public static final LockWait NO_WAIT = new WaitNanos(0);

    private static final long MILLI_NANOS = 1_000_000;

    /** The bound; zero for no wait, {@link Long#MAX_VALUE} for one without a bound. */
    public static long nanos(LockWait wait) {
        return ((WaitNanos) wait).nanos;
    }

    /** The bound in whole milliseconds, rounded up, as lock_timeout takes it; only of a bounded wait. */
    public static int millis(LockWait wait) {
        return (int) ((nanos(wait) + MILLI_NANOS - 1) / MILLI_NANOS);
    }

    /**
     * The rest of a bounded wait, and at least none; of other waits the same.
     *
     * @param startNanos {@link System#nanoTime()} when it began
     */
    public static LockWait remaining(LockWait wait, long startNanos) {
        if (!wait.isBounded()) {
            return wait;
        }
        long left = nanos(wait) - (System.nanoTime() - startNanos);
        return left <= 0 ? NO_WAIT : new WaitNanos(left);
    }

    @Override
    public boolean isNoWait() {
        return nanos == 0;
    }

    @Override
    public boolean isBounded() {
        return nanos != 0 && nanos != Long.MAX_VALUE;
    }

    @Override
    public int compareTo(LockWait other) {
        return Long.compare(nanos, nanos(other));
    }

    /** As it is said: {@code forever}, {@code noWait}, {@code atMost 0.2s}. */
    @Override
    public String toString() {
        return isBounded()
                ? "atMost " + Duration.ofNanos(nanos).toString().substring(2).toLowerCase(Locale.ROOT)
                : isNoWait() ? "noWait" : "forever";
    }
}
