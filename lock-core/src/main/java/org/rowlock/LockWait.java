package org.rowlock;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;

/**
 * How long to wait for a lock that another transaction holds. A value, ordered by length; immutable and thread-safe.
 *
 * <p>{@link #noWait()} and {@link #atMost(Duration)} that fail leave the transaction usable, unlike
 * {@code FOR UPDATE NOWAIT} and {@code lock_timeout}, which abort it.
 */
public final class LockWait implements Comparable<LockWait> {
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);
    private static final long MILLI_NANOS = 1_000_000;

    private static final LockWait FOREVER = new LockWait(Long.MAX_VALUE);
    private static final LockWait NO_WAIT = new LockWait(0);

    private final long nanos;

    private LockWait(long nanos) {
        this.nanos = nanos;
    }

    /**
     * {@return the wait without a bound of its own} It lasts until the lock is granted, the transaction is found in a
     * deadlock, or the server ends the wait ({@code lock_timeout} and {@code statement_timeout} of the session apply).
     * The default everywhere.
     */
    public static LockWait forever() {
        return FOREVER;
    }

    /** {@return no wait} A lock held by another transaction is a {@link LockNotAvailableException} at once. */
    public static LockWait noWait() {
        return NO_WAIT;
    }

    /**
     * Waits for at most a duration, then throws {@link LockNotAvailableException}. The bound spans the whole call, all
     * its keys and, where there is one, the admission queue. The server counts in milliseconds, so a fraction is
     * rounded up. It applies {@code lock_timeout} to every wait by itself, and one {@code FOR UPDATE} of a contended
     * row can wait more than once; so with {@link LockStrategy#ROW} a call can take longer than the bound.
     *
     * <p>A server that gives no answer at all is given up two seconds after the bound, with row locks after three times
     * the bound and two seconds, with a {@link LockConnectionLostException}; a shorter {@code socketTimeout} of the
     * driver stays as it is. A call with a query behind the lock is not bounded so.
     *
     * @param duration the bound; zero is {@link #noWait()}
     * @return the bounded wait
     * @throws IllegalArgumentException if the duration is null, negative, or more than 2^31-1 milliseconds (24.8
     *     days), the most that PostgreSQL's {@code lock_timeout} can express
     */
    public static LockWait atMost(Duration duration) {
        Given.notNull(duration, "The duration of a bounded wait is null; give one, or use forever()");
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "A wait of at most " + duration + " is not positive; use noWait() for a wait of nothing");
        }
        if (duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("A wait of at most " + duration
                    + " is more than PostgreSQL's lock_timeout can express (" + LONGEST + "); use forever()");
        }
        return duration.isZero() ? NO_WAIT : new LockWait(duration.toNanos());
    }

    /** {@return whether it is {@link #noWait()}} */
    public boolean isNoWait() {
        return nanos == 0;
    }

    /** {@return whether it is of a duration, and neither {@link #noWait()} nor {@link #forever()}} */
    public boolean isBounded() {
        return nanos != 0 && nanos != Long.MAX_VALUE;
    }

    /** {@return the bound; zero for {@link #noWait()}, {@link Long#MAX_VALUE} for {@link #forever()}} */
    public long nanos() {
        return nanos;
    }

    /** {@return the bound in whole milliseconds, rounded up, as lock_timeout takes it; of a bounded wait} */
    public int millis() {
        return (int) ((nanos + MILLI_NANOS - 1) / MILLI_NANOS);
    }

    /**
     * {@return what is left of a bounded wait, at least {@link #noWait()}; of others the same}
     *
     * @param startNanos {@link System#nanoTime()} when it began
     */
    public LockWait remaining(long startNanos) {
        if (!isBounded()) {
            return this;
        }
        long left = nanos - (System.nanoTime() - startNanos);
        return left <= 0 ? NO_WAIT : new LockWait(left);
    }

    @Override
    public int compareTo(LockWait other) {
        return Long.compare(nanos, other.nanos);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockWait wait && nanos == wait.nanos;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(nanos);
    }

    /** As it is said: {@code forever}, {@code noWait}, {@code atMost 0.2s}. */
    @Override
    public String toString() {
        return isBounded()
                ? "atMost " + Duration.ofNanos(nanos).toString().substring(2).toLowerCase(Locale.ROOT)
                : isNoWait() ? "noWait" : "forever";
    }
}
