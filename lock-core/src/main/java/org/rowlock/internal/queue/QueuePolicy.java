package org.rowlock.internal.queue;

import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.WaiterSql;

/**
 * Decides how many transactions the queues of a key admit, and whether a transaction has a front lock. {@link
 * KeyQueues} creates one policy for each hash of keys, and keeps the policy forever.
 *
 * <p>Each method is called under the lock of the queues to which the policy belongs. An implementation therefore needs
 * no lock of its own, and must not block.
 */
public interface QueuePolicy {
    /** A question to the server. The answer is a number. */
    enum Question {
        /** How many clients without Rowlock wait for the most contended row of the table. */
        WITHOUT_ROWLOCK(WaiterSql.WITHOUT_ROWLOCK),

        /** How many sessions of other JVMs, with or without Rowlock, wait for rows of the table or for front locks. */
        OTHER_JVMS(WaiterSql.WAITERS);

        final String sql;

        Question(String sql) {
            this.sql = sql;
        }
    }

    /** An answer that the server could not give. */
    int UNKNOWN = -1;

    /**
     * Returns the width of a queue: how many exclusive transactions may be admitted at the same time.
     *
     * @param kept true for an admission queue, in which a transaction stays admitted until it ends; false for a {@code
     *     ROW} queue, in which a transaction stays admitted until the server answers its lock statement
     * @param waiting how many transactions wait in the queue
     * @return the width, which is at least 1
     */
    int width(boolean kept, int waiting);

    /**
     * Returns the longest time that the next transaction may wait for a front lock; 0 for no front lock.
     *
     * @param always whether to use a front lock even without contention; ignored for a while after a front lock could
     *     not be acquired in time
     */
    default long frontNanos(boolean always) {
        return 0;
    }

    /**
     * Returns what the caller must ask the server before the next lock, or null. If this method returns a question,
     * {@link #answered} follows.
     *
     * @param wanting how many transactions of this JVM contend for the key
     * @param grouped whether transactions run in groups. A group runs many transactions each time the server grants the
     *     row, so its JVM does not starve beside clients without Rowlock
     */
    default @Nullable Question asks(int wanting, boolean grouped) {
        return null;
    }

    /**
     * Records the server's answer.
     *
     * @param answer the answer, or {@link #UNKNOWN}
     */
    default void answered(Question question, int answer) {}

    /** Whether transactions of other JVMs contend for the key, according to the measurements. */
    default boolean isWantedElsewhere() {
        return false;
    }

    /**
     * Records that the server has granted a lock.
     *
     * @param nanos the time from sending the statement to the server's answer
     * @param holds how many other transactions of this JVM, at most, have held the lock during the wait
     * @param ownNanos the part of the wait in which other transactions of this JVM held the lock, as far as it is known
     * @param keyNanos the time of the wait for the front lock; negative if there was no front lock
     */
    default void waited(long nanos, int holds, long ownNanos, long keyNanos) {}

    /** Records that a front lock could not be acquired in the given time. */
    default void frontGivenUp(long nanos) {}

    /**
     * Records how long a transaction has held the lock.
     *
     * @param exact false if the time may be too long, because Rowlock noticed the end of the transaction late
     */
    default void held(long nanos, boolean exact) {}

    /**
     * Records that an exclusive transaction has ended and left the admission queue.
     *
     * @param nanos the sum of the transaction's round trips, its wait at the server and its hold of the lock
     */
    default void placeLeft(long nanos, boolean crowded) {}
}
