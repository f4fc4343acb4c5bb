package org.rowlock.internal.queue;

/**
 * How many transactions a queue admits beyond its width, because no transaction of this JVM has acquired the key for
 * some time. At first the queue admits one more transaction, after the same time two more, and then four, each time for
 * a limited period. It never admits all transactions at once, because the reason for the delay may be that many
 * transactions of other JVMs contend for the key. All methods except {@link #untilMore} are called under the lock of
 * the queue.
 */
final class Relief {
    static final Relief NEVER = new Relief(Long.MAX_VALUE);

    /** How long the queue stays wider, as a multiple of the time after which it becomes wider. */
    private static final int WIDE_TIMES = 10;

    private static final int MOST = 1 << 12;

    private final long longestNanos;

    /** The last time at which a transaction acquired the key, or the queue was created or became wider. */
    private volatile long moved;

    private int more;
    private long moreUntil;

    /** How many places the last step added; 0 after a transaction has acquired the key. */
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

    /** @param beyond how many more entries are admitted than the width allows */
    void widen(int beyond, long wideNanos) {
        moved = System.nanoTime();
        moreUntil = moved + wideNanos;
        last = Math.min(MOST, Math.max(1, 2 * last));
        more = Math.max(0, beyond) + last;
    }

    int more() {
        return more;
    }

    void end(long now) {
        if (more > 0 && now - moreUntil >= 0) {
            more = 0;
        }
    }
}
