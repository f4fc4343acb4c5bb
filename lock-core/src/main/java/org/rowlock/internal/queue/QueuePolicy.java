package org.rowlock.internal.queue;

/**
 * How wide the queues of one key are, and whether a transaction sends the advisory key in front of its first lock. The
 * one place to plug in another policy: {@link KeyQueues} makes one of these for each hash of keys, and keeps it.
 *
 * <p>Each method is called under the lock of the queues it belongs to, so an implementation needs none, and must not
 * block.
 */
public interface QueuePolicy {
    /**
     * How many transactions that do not share may be inside at once.
     *
     * @param kept whether each keeps its place until it has ended, so that the lock holder has one; else a transaction
     *     leaves its place as soon as the server has answered, and all those inside wait at the server
     * @param waiting how many wait in the queue; where nobody waits, the width says when a queue begins
     * @return at least 1, unless nobody is to go in without waiting
     */
    int width(boolean kept, int waiting);

    /**
     * How long the next transaction waits at most for the advisory key in front of its lock; 0 for no key.
     *
     * @param always whether it is to send one unless that did harm a moment ago
     */
    default long frontNanos(boolean always) {
        return 0;
    }

    /** Whether the next that has a key in front is to have the server say how long it waited for the key. */
    default boolean isFrontTimed() {
        return false;
    }

    /** Whether transactions of other JVMs are known to want the key. */
    default boolean isWantedElsewhere() {
        return false;
    }

    /**
     * The server has granted a lock.
     *
     * @param nanos the time from the statement's leave to the server's answer
     * @param holds how many holds of the key by others of this JVM it may have waited for
     * @param keyNanos the part of the time that was a wait for the key in front; 0 where the server did not say, and
     *     negative where none was in front
     */
    default void waited(long nanos, int holds, long keyNanos) {}

    /** A key in front could not be had, and the lock was sent again without it; the wait took so long. */
    default void frontGivenUp(long nanos) {}

    /**
     * A transaction has let go of the lock, which it had for a time.
     *
     * @param exact false where it may have been less, as its end was seen later
     */
    default void held(long nanos, boolean exact) {}

    /**
     * A transaction that does not share has left a place which it kept until its end.
     *
     * @param nanos how long it was inside, with its connection: its way, its wait and its hold
     * @param crowded whether somebody waits in the queue
     */
    default void stayed(long nanos, boolean crowded) {}
}
