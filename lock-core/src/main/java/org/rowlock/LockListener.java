package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * Notified of the end of every attempt to lock, of every passage through an admission queue, and of what was held. Runs
 * on the thread that locks, before it goes on, and possibly by many threads at a time: be quick and thread-safe.
 * Whatever it throws, an {@link Error} too, is logged and does not reach the caller. A listener that ends the
 * transaction has the call fail that wanted the lock.
 *
 * @see RowLocksBuilder#listener(LockListener)
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Something has ended.
     *
     * @param event what was asked and how it ended
     */
    void onEvent(LockEvent event);

    /** What an event reports, and the JFR event of its name. */
    enum Kind {
        /** A passage through the admission queues of the keys ({@code org.rowlock.Admission}). */
        ADMISSION,
        /** An attempt to lock ({@code org.rowlock.LockAcquisition}). */
        ACQUISITION,
        /**
         * The keys of {@link LockOperation#inTransaction}, which its transaction held until now
         * ({@code org.rowlock.LockHold}). With Spring see the meter {@code rowlock.hold}.
         */
        HOLD
    }

    /** How it ended. */
    enum Outcome {
        /** Of an admission: the caller was let in. */
        ADMITTED,
        /** Of an admission: the wait ran out, the thread was interrupted, or the queue was full. */
        REFUSED,
        /** The lock is held; or, with {@link LockStrategy#ROW}, there was no row to lock. */
        ACQUIRED,
        /** Another transaction held it, and the wait was none or ran out. */
        NOT_AVAILABLE,
        /** The server ended the wait to break a deadlock. */
        DEADLOCK,
        /** Any other end of an attempt to lock: refused, canceled, connection lost. */
        FAILED,
        /** Of what was held: the transaction has committed. */
        COMMITTED,
        /** Of what was held: the transaction has not committed, or nobody knows. */
        ROLLED_BACK
    }

    /**
     * What has ended.
     *
     * @param kind what it was
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
