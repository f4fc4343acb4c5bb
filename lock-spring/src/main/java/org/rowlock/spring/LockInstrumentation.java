package org.rowlock.spring;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/**
 * Is around every acquisition in a Spring transaction, for metrics and traces. Thread-safe. It only observes: whatever
 * it returns, throws or leaves out, the lock is taken once and the caller gets what came of it; what it throws is
 * logged.
 */
public interface LockInstrumentation {
    /** Measures nothing. */
    LockInstrumentation NONE = new LockInstrumentation() {
        @Override
        public <T> T acquire(Acquisition acquisition, Supplier<T> lock) {
            return lock.get();
        }
    };

    /**
     * Runs an acquisition.
     *
     * @param acquisition what is to be locked
     * @param lock locks, or throws Spring's exceptions; another call of it gives the same again
     * @param <T> what the caller gets
     * @return what the lock returned; {@code false} if and only if it was a try, and in vain
     */
    <T> T acquire(Acquisition acquisition, Supplier<T> lock);

    /**
     * Runs the passage through the queue of the JVM, in front of the transaction. Only runs it by default.
     *
     * @param acquisition what is to be locked
     * @param queue waits for its turn, or throws Spring's exceptions
     * @param <T> what the caller gets
     * @return what the queue returned
     */
    default <T> T queue(Acquisition acquisition, Supplier<T> queue) {
        return queue.get();
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
