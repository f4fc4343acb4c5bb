package org.rowlock.internal.queue;

/**
 * Admits more transactions than the width of a queue allows, if no transaction of this JVM has acquired the key for
 * some time. The queue first admits one more transaction. If the key is still not acquired after the same time again,
 * the queue admits two more, then four, and so on. Each step lasts for a limited period. The queue does not admit all
 * transactions, because the cause of the delay may be contention with many transactions of other JVMs. The cause may
 * also be that an admitted transaction waits for a second transaction of its own thread. All methods except {@link
 * #untilMore} are called under the lock of the queue.
 */
final class Relief {
    static final Relief NEVER = new Relief(Long.MAX_VALUE);

    /** How long more transactions are admitted, as a multiple of {@link #longestNanos}. */
    private static final int WIDE_TIMES = 10;

    private static final int MOST = 1 << 12;

    private final long longestNanos;

    /**
     * The time of the last of these events: a transaction acquired the key while others wait, the first transaction
     * began to wait, or the queue admitted more transactions.
     */
    private volatile long moved;

    int more;
    private long moreUntil;

    /**
     * How many transactions the last step added. The number is 0 after a transaction has acquired the key while others
     * wait, and when the first transaction begins to wait.
     */
    private int last;

    Relief(long longestNanos) {
        this.longestNanos = longestNanos;
    }

    void begin(long now) {
        if (longestNanos != Long.MAX_VALUE) {
            moved = now;
            last = 0;
        }
    }

    long untilMore() {
        return longestNanos == Long.MAX_VALUE ? longestNanos : longestNanos - (System.nanoTime() - moved);
    }

    long wideNanos() {
        return WIDE_TIMES * longestNanos;
    }

    /** @param beyond how many more entries are admitted than the width allows, at least 0 */
    void widen(int beyond, long wideNanos) {
        moved = System.nanoTime();
        moreUntil = moved + wideNanos;
        last = Math.min(MOST, Math.max(1, 2 * last));
        more = beyond + last;
    }

    void end(long now) {
        if (now - moreUntil >= 0) {
            more = 0;
        }
    }
}
