package org.rowlock.internal.queue;

/**
 * Decides how wide the queues of one key are, and whether a transaction sends the advisory key in front of its first
 * lock. Another policy can be plugged in here alone: {@link KeyQueues} makes one of these for each hash of keys, and
 * keeps it.
 *
 * <p>Each method is called under the lock of the queues that it belongs to. An implementation therefore needs no lock
 * of its own, and must not block.
 */
public interface QueuePolicy {
    /**
     * Returns how many exclusive transactions may be inside at once.
     *
     * @param kept whether each keeps its place until it has ended, so that the lock holder has one; otherwise a
     *     transaction leaves its place as soon as the server has answered, and all those inside wait at the server
     * @param waiting how many transactions wait in the queue; if none waits, the width determines when a queue begins
     * @return at least 1, unless no transaction may enter without waiting
     */
    int width(boolean kept, int waiting);

    /**
     * Returns how long the next transaction waits at most for the advisory key in front of its lock; 0 for no key.
     *
     * @param always whether to use the key unless it did harm a moment ago
     */
    default long frontNanos(boolean always) {
        return 0;
    }

    /** Whether the server reports the wait for the key when the next transaction has one in front. */
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
     * @param holds how many holds of the key by other transactions of this JVM it may have waited for
     * @param keyNanos the part of the time that was a wait for the key in front; 0 if the server did not report it, and
     *     negative if no key was in front
     */
    default void waited(long nanos, int holds, long keyNanos) {}

    /** Records how long the wait for a key in front was, after which the lock was sent again without it. */
    default void frontGivenUp(long nanos) {}

    /**
     * Records how long a transaction has held the lock.
     *
     * @param exact false if the time may be too long, because its end was seen late
     */
    default void held(long nanos, boolean exact) {}

    /**
     * Records that an exclusive transaction has left a place that it kept until its end.
     *
     * @param nanos how long it was inside with its connection: its round trips, its wait and its hold
     * @param crowded whether other transactions wait in the queue
     */
    default void stayed(long nanos, boolean crowded) {}
}
