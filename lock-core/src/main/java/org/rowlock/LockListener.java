package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * A listener that is notified when an attempt to lock, a stay in an admission queue, or a hold has ended. It runs on
 * the thread that locks, before that thread continues, and many threads may call it at the same time. So it must be
 * fast and thread-safe. Its exceptions, including an {@link Error}, are logged and not thrown to the caller. If a
 * listener ends the transaction, the call for the lock fails.
 *
 * @see RowLocksBuilder#listener(LockListener)
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Receives an event.
     *
     * @param event the event
     */
    void onEvent(LockEvent event);

    /** The kinds of events, each with its JFR event. */
    enum Kind {
        /** A stay in the admission queues of the keys ({@code org.rowlock.Admission}). */
        ADMISSION,
        /** An attempt to lock ({@code org.rowlock.LockAcquisition}). */
        ACQUISITION,
        /**
         * The hold of the keys of {@link LockOperation#inTransaction}, from the grant to the end of its transaction
         * ({@code org.rowlock.LockHold}). Spring has the meter {@code rowlock.hold}.
         */
        HOLD
    }

    /** The outcomes of an event. */
    enum Outcome {
        /** The caller was admitted. */
        ADMITTED,
        /** The caller was not admitted: the wait timed out, the thread was interrupted, or the queue was full. */
        REFUSED,
        /** The lock was acquired; or, with {@link LockStrategy#ROW}, there was no row to lock. */
        ACQUIRED,
        /** Another transaction held the lock, and the call did not wait, or the wait timed out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /** The attempt to lock failed for another reason: it was refused or cancelled, or the connection was lost. */
        FAILED,
        /** The transaction that held the keys has committed. */
        COMMITTED,
        /** The transaction that held the keys has not committed, or its outcome is unknown. */
        ROLLED_BACK
    }

    /**
     * An event, which reports the end of an attempt to lock, a stay in a queue or a hold.
     *
     * @param kind the kind of the event
     * @param keys the distinct requested keys; for an admission, in the order in which their queues were entered; for a
     *     claim, the keys of the returned rows (none with {@link LockStrategy#ROW}, which needs no keys)
     * @param mode the lock mode; the strongest one if the keys have different modes
     * @param strategy the strategy of the keys; {@link LockStrategy#BOTH} if their tables have different strategies
     * @param lockWait the wait of the call
     * @param outcome the outcome
     * @param took how long it took: for an admission, the time in the queues; for an acquisition, the time from the
     *     call until the lock was acquired or refused, including a query in the same round trip; for a hold, the time
     *     from the server's answer to the lock until its answer to the commit or rollback
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
