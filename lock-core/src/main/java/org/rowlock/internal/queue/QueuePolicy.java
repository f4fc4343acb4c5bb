package org.rowlock.internal.queue;

/**
 * Decides how many transactions the queues of a key admit, and whether a transaction has a front lock. {@link
 * KeyQueues} creates one policy for each hash of keys, and never replaces it.
 *
 * <p>Each method is called under the lock of the queues to which the policy belongs. An implementation therefore needs
 * no lock of its own, and must not block.
 */
public interface QueuePolicy {
    /**
     * Returns how many exclusive transactions may be admitted at the same time.
     *
     * @param kept true for an admission queue, which a transaction leaves when it has ended; false for a {@code ROW}
     *     queue, which a transaction leaves when the server answers, so that all admitted transactions wait at the
     *     server
     * @param waiting how many transactions wait in the queue; if none waits, the result determines whether the next
     *     transaction must wait
     * @return at least 1; 0 if no transaction may enter without waiting
     */
    int width(boolean kept, int waiting);

    /**
     * Returns how long the next transaction may wait for a front lock; 0 for no front lock.
     *
     * @param always whether to use a front lock even without contention, unless front locks have just proved useless
     */
    default long frontNanos(boolean always) {
        return 0;
    }

    /** Whether the server reports the wait for the next front lock. */
    default boolean isFrontTimed() {
        return false;
    }

    /** Whether transactions of other JVMs are known to contend for the key. */
    default boolean isWantedElsewhere() {
        return false;
    }

    /**
     * Records that the server has granted a lock.
     *
     * @param nanos the time from sending the statement to the server's answer
     * @param holds for how many other transactions of this JVM the transaction may have waited, at most
     * @param keyNanos the part of the time that was a wait for the front lock; 0 if the server did not report it, and
     *     negative if there was no front lock
     */
    default void waited(long nanos, int holds, long keyNanos) {}

    /**
     * Records that a front lock could not be acquired in time, and how long the transaction has waited for this front
     * lock.
     */
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
     * @param nanos how long the transaction was admitted and had its connection: its round trips, its wait and its hold
     * @param crowded whether other transactions wait in the queue
     */
    default void placeLeft(long nanos, boolean crowded) {}
}
