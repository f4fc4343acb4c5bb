package org.rowlock;

import java.time.Duration;
import org.rowlock.internal.text.Given;

/**
 * How long to wait for a lock that another transaction holds. A value; immutable and thread-safe.
 *
 * <p>{@link #noWait()} and {@link #atMost(Duration)} that fail leave the transaction usable, unlike
 * {@code FOR UPDATE NOWAIT} and {@code lock_timeout}, which abort it.
 */
public sealed interface LockWait {

    /**
     * Waits until the lock is granted, the transaction is found in a deadlock, or the server ends the wait
     * ({@code lock_timeout} and {@code statement_timeout} of the session apply). The default everywhere.
     *
     * @return the wait without a bound of its own
     */
    static LockWait forever() {
        return Forever.INSTANCE;
    }

    /**
     * Does not wait: a lock held by another transaction is a {@link LockNotAvailableException} at once.
     *
     * @return no wait
     */
    static LockWait noWait() {
        return NoWait.INSTANCE;
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
    static LockWait atMost(Duration duration) {
        if (duration != null && duration.isZero()) {
            return noWait();
        }
        return new AtMost(duration);
    }

    /** The wait without a bound of its own. */
    enum Forever implements LockWait {
        /** The only one. */
        INSTANCE;

        @Override
        public String toString() {
            return "forever";
        }
    }

    /** No wait at all. */
    enum NoWait implements LockWait {
        /** The only one. */
        INSTANCE;

        @Override
        public String toString() {
            return "noWait";
        }
    }

    /**
     * A bounded wait.
     *
     * @param duration the bound, more than zero and at most 2^31-1 milliseconds
     */
    record AtMost(Duration duration) implements LockWait {
        private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

        /**
         * Checks the bound.
         *
         * @param duration the bound
         * @throws IllegalArgumentException if the duration is null, not positive, or too long
         */
        public AtMost {
            Given.notNull(duration, "The duration of a bounded wait is null; give one, or use forever()");
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(
                        "A wait of at most " + duration + " is not positive; use noWait() for a wait of nothing");
            }
            if (duration.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("A wait of at most " + duration
                        + " is more than PostgreSQL's lock_timeout can express (" + LONGEST + "); use forever()");
            }
        }

        /** {@return the bound in whole milliseconds, rounded up, as lock_timeout takes it} */
        public int millis() {
            return (int) duration.plusNanos(999_999).toMillis();
        }

        @Override
        public String toString() {
            return "atMost " + duration.toString().substring(2).toLowerCase(java.util.Locale.ROOT);
        }
    }
}
