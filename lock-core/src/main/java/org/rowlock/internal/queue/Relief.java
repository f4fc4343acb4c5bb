package org.rowlock.internal.queue;

/**
 * How far a queue exceeds its width, because no transaction of this JVM has acquired the key for some time. The queue
 * admits one more transaction, after the same time again two more, and then four, each for a limited time. It never
 * admits all at once, because a crowd of other JVMs may be the reason why this JVM does not acquire the key. All
 * methods except {@link #untilMore} are called under the lock of the queue.
 */
final class Relief {
    static final Relief NEVER = new Relief(Long.MAX_VALUE);

    /** How long the queue stays wider, as a multiple of the longest wait. */
    private static final int WIDE_TIMES = 10;

    private static final int MOST = 1 << 12;

    private final long longestNanos;

    /** The last time when a transaction acquired the key, or the queue was created or became wider. */
    private volatile long moved;

    private int more;
    private long moreUntil;

    /** How many places were added last; 0 after a transaction has acquired the key. */
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

    /** @param beyond how many more entries than the width are inside */
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
