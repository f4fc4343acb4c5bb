package org.rowlock.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/**
 * Notified of every acquisition in a Spring transaction when it begins and ends, for metrics and traces, on the thread
 * that locks. Thread-safe. It only observes: what it throws is logged, and the lock is not affected.
 */
public interface LockInstrumentation {
    /** Measures nothing. */
    LockInstrumentation NONE = acquisition -> Begun.NOTHING;

    /**
     * An acquisition at the server begins.
     *
     * @param acquisition what is to be locked
     * @return is notified when it ends
     */
    Begun begin(Acquisition acquisition);

    /**
     * A passage through the queue of the JVM, in front of the transaction, begins. Measures nothing by default.
     *
     * @param acquisition what is to be locked
     * @return is notified when it ends
     */
    default Begun beginQueue(Acquisition acquisition) {
        return Begun.NOTHING;
    }

    /** What has begun. */
    @FunctionalInterface
    interface Begun {
        /** Is not interested in the end. */
        Begun NOTHING = (outcome, failure) -> {};

        /**
         * It has ended.
         *
         * @param outcome how
         * @param failure what the caller gets, an exception of Spring's; null if nothing is thrown
         */
        void end(Outcome outcome, @Nullable Throwable failure);
    }

    /**
     * A transaction that had taken locks has ended, and they with it. Does nothing by default.
     *
     * @param acquisition what was locked
     * @param held from the grant to the end of the transaction
     */
    default void released(Acquisition acquisition, Duration held) {}

    /**
     * One acquisition.
     *
     * @param keys what is to be locked, at least one
     * @param mode how strongly; the strongest where the keys have several
     * @param strategy that of the first key's table
     */
    record Acquisition(List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        /**
         * The table of the first key.
         *
         * @return its name; {@code none} for a key that is no row
         */
        public String table() {
            return keys.get(0) instanceof LockKey.Row row ? row.table() : "none";
        }
    }
}
