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
     * Whether the next transaction is to send the advisory key in front of its lock.
     *
     * @param wanting how many of this JVM are inside or wait, with that transaction
     */
    default boolean fronts(int wanting) {
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
     */
    default void waited(long nanos, int holds) {}

    /** A transaction has let go of the lock that it had for so long. */
    default void held(long nanos) {}

    /**
     * A transaction that does not share has left a place which it kept until its end.
     *
     * @param nanos how long it was inside, with its connection: its way, its wait and its hold
     * @param crowded whether somebody waits in the queue
     */
    default void stayed(long nanos, boolean crowded) {}

    /**
     * Always the same.
     *
     * @param width how many may be inside
     * @param fronts whether the advisory key goes in front of every lock
     */
    record Fixed(int width, boolean fronts) implements QueuePolicy {
        @Override
        public int width(boolean kept, int waiting) {
            return width;
        }

        @Override
        public boolean fronts(int wanting) {
            return fronts;
        }
    }
}
