package org.rowlock;

import java.time.Duration;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.value.WaitNanos;

/**
 * How long to wait for a lock that another transaction holds. Waits are ordered by length. Immutable and thread-safe.
 *
 * <p>If {@link #noWait()} or {@link #atMost(Duration)} ends without the lock, the transaction stays usable. {@code FOR
 * UPDATE NOWAIT} and {@code lock_timeout} would abort the transaction.
 */
public sealed interface LockWait extends Comparable<LockWait> permits WaitNanos {
    /**
     * {@return the wait without a bound, the default except for {@link TransactionLocks#tryLock}} The wait ends when
     * the lock is granted, or when the server ends the wait: because of a deadlock, or because of the session's {@code
     * lock_timeout} or {@code statement_timeout}.
     */
    static LockWait forever() {
        return WaitNanos.FOREVER;
    }

    /**
     * {@return the wait of zero length} If another transaction holds the lock, the call ends at once: {@link
     * TransactionLocks#tryLock} returns a result, and all other methods throw a {@link LockNotAvailableException}.
     */
    static LockWait noWait() {
        return WaitNanos.NO_WAIT;
    }

    /**
     * Returns a wait of limited length. After this time, {@link TransactionLocks#tryLock} returns a result, and all
     * other methods throw a {@link LockNotAvailableException}. The bound applies to the whole call, including all keys
     * and the admission queue. The bound is rounded up to milliseconds, the unit of the server. With row locks a call
     * can take longer than the bound. The reason is that one {@code FOR UPDATE} of a contended row can wait more than
     * once, and the server applies {@code lock_timeout} to each wait separately.
     *
     * <p>If the server does not answer, the call throws a {@link LockConnectionLostException}. The exception is thrown
     * two seconds after the bound. With row locks, the exception is thrown two seconds after three times the bound. A
     * shorter {@code socketTimeout} of the driver takes precedence. A call with a query or writes after the lock has no
     * such limit.
     *
     * @param duration the bound; zero is {@link #noWait()}
     * @return the bounded wait
     * @throws IllegalArgumentException if the duration is null, negative, or more than 2^31-1 milliseconds (24.8 days),
     *     the most that PostgreSQL's {@code lock_timeout} can express
     */
    static LockWait atMost(Duration duration) {
        Arguments.notNull(duration, "The duration of a bounded wait is null; give a duration, or use forever()");
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "A wait of at most " + duration + " is not positive; use noWait() for no wait");
        }
        if (duration.compareTo(WaitNanos.LONGEST) > 0) {
            throw new IllegalArgumentException("A wait of at most " + duration
                    + " is more than PostgreSQL's lock_timeout can express (" + WaitNanos.LONGEST + "); use forever()");
        }
        return new WaitNanos(duration.toNanos());
    }
}
