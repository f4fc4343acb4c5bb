package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * Notified of every attempt to lock. Runs on the thread that locks, before it goes on, and possibly by many threads at
 * a time: be quick and thread-safe. Whatever it throws, an {@link Error} too, is logged and does not reach the caller.
 * A listener that ends the transaction has the call fail that wanted the lock.
 *
 * @see RowLocksBuilder#listener(LockListener)
 */
@FunctionalInterface
public interface LockListener {
    /**
     * An attempt to lock has ended.
     *
     * @param acquisition what was asked and how it ended
     */
    void onAcquisition(LockAcquisition acquisition);

    /**
     * A passage through the admission queue has ended. Does nothing by default.
     *
     * @param wait the wait, and how it ended
     */
    default void onAdmission(AdmissionWait wait) {}

    /**
     * A transaction of {@link RowLocks#inTransaction} with keys has ended, and its locks with it. Does nothing by
     * default. With Spring see the meter {@code rowlock.hold}.
     *
     * @param hold what was held, and for how long
     */
    default void onHold(LockHold hold) {}

    /**
     * One attempt to lock.
     *
     * @param keys the distinct keys asked for; for a claim, the keys of the rows that were returned (none with
     *     {@link LockStrategy#ROW}, which needs no keys for it)
     * @param mode how strongly; the strongest of a call that gives each key a mode of its own
     * @param strategy by which locks; {@link LockStrategy#BOTH} for a call on tables of several strategies
     * @param lockWait how long the caller would wait
     * @param outcome how it ended
     * @param took from the call until the lock was held or refused, round trips included; where a query runs behind the
     *     lock in the same round trip, with it
     */
    public record LockAcquisition(
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            LockWait lockWait,
            Outcome outcome,
            Duration took) {
        /** How an attempt to lock ended and the JFR event. */
        public enum Outcome {
            /** The lock is held; or, with {@link LockStrategy#ROW}, there was no row to lock. */
            ACQUIRED,
            /** Another transaction held it, and the wait was none or ran out. */
            NOT_AVAILABLE,
            /** The server ended the wait to break a deadlock. */
            DEADLOCK,
            /** Anything else: refused, canceled, connection lost. */
            FAILED;
        }
    }

    /**
     * One passage through the admission queue.
     *
     * @param keys the distinct keys, in the order their queues were entered
     * @param mode how strongly they are to be locked; the strongest where each has a mode of its own
     * @param admitted whether the caller was admitted; if not it timed out, was interrupted or found the queue full
     * @param took the time in the queues
     */
    public record AdmissionWait(List<LockKey> keys, RowLockMode mode, boolean admitted, Duration took) {}

    /**
     * A lock that was held.
     *
     * @param keys the distinct keys
     * @param mode how strongly; the strongest where each has a mode of its own
     * @param strategy by which locks; {@link LockStrategy#BOTH} for tables of several strategies
     * @param committed whether the transaction has committed
     * @param held from the server's answer to the lock until that to the commit or rollback
     */
    public record LockHold(
            List<LockKey> keys, RowLockMode mode, LockStrategy strategy, boolean committed, Duration held) {}
}
