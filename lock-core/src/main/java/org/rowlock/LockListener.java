package org.rowlock;

/**
 * Notified of every attempt to lock. Runs on the thread that locks, before it goes on, and possibly by many threads at
 * a time: be quick and thread-safe. Whatever it throws, an {@link Error} too, is logged and does not reach the caller.
 * A listener that ends the transaction has the call fail that wanted the lock.
 *
 * @see RowLocks.Builder#listener(LockListener)
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
}
