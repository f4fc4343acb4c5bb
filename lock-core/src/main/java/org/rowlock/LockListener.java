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
     * @param keys the distinct keys asked for; of an admission in the order their queues were entered; for a claim, the
     *     keys of the rows that were returned (none with {@link LockStrategy#ROW}, which needs no keys for it)
     * @param mode how strongly; the strongest of a call that gives each key a mode of its own
     * @param strategy by which locks; {@link LockStrategy#BOTH} for a call on tables of several strategies
     * @param lockWait how long the caller would wait
     * @param outcome how it ended
     * @param took how long: the time in the queues; from the call until the lock was held or refused, round trips
     *     and a query behind the lock in the same round trip included; or from the server's answer to the lock until
     *     that to the commit or rollback
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
