package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * A listener that is notified when an attempt to lock, a passage through an admission queue, or a hold has ended. It
 * runs on the thread that locks, before that continues, and possibly on many threads at a time: be quick and
 * thread-safe. Its exceptions, an {@link Error} too, are logged and do not reach the caller. If a listener ends the
 * transaction, the call for the lock fails.
 *
 * @see RowLocksBuilder#listener(LockListener)
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Receives an event.
     *
     * @param event what has ended, and how
     */
    void onEvent(LockEvent event);

    /** The kinds of events, each with its JFR event. */
    enum Kind {
        /** A passage through the admission queues of the keys ({@code org.rowlock.Admission}). */
        ADMISSION,
        /** An attempt to lock ({@code org.rowlock.LockAcquisition}). */
        ACQUISITION,
        /**
         * The keys of {@link LockOperation#inTransaction}, which its transaction held until now
         * ({@code org.rowlock.LockHold}). Spring has the meter {@code rowlock.hold}.
         */
        HOLD
    }

    /** The outcomes of an event. */
    enum Outcome {
        /** The caller was admitted. */
        ADMITTED,
        /** The caller was not admitted: the wait ran out, the thread was interrupted, or the queue was full. */
        REFUSED,
        /** The lock is held; or, with {@link LockStrategy#ROW}, there was no row to lock. */
        ACQUIRED,
        /** Another transaction held the lock, and there was no wait or it ran out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /** Any other end of an attempt to lock: refused, canceled, connection lost. */
        FAILED,
        /** The transaction that held the keys has committed. */
        COMMITTED,
        /** The transaction that held the keys has not committed, or its outcome is unknown. */
        ROLLED_BACK
    }

    /**
     * An event: something that has ended.
     *
     * @param kind what has ended
     * @param keys the distinct requested keys; for an admission, in the order in which their queues were entered; for a
     *     claim, the keys of the returned rows (none with {@link LockStrategy#ROW}, which needs no keys)
     * @param mode the lock mode; the strongest if the keys of a call have several
     * @param strategy the strategy of the keys; {@link LockStrategy#BOTH} for a call on tables of several strategies
     * @param lockWait the wait of the call
     * @param outcome how it ended
     * @param took how long it took: for an admission, the time in the queues; for an acquisition, the time from the
     *     call until the lock was held or refused, including a query in the same round trip; for a hold, the time from
     *     the server's answer to the lock until its answer to the commit or rollback
     */
    record LockEvent(
            Kind kind,
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            LockWait lockWait,
            Outcome outcome,
            Duration took) {}
}
