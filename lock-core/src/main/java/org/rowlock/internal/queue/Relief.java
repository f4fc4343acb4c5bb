package org.rowlock.internal.queue;

/**
 * How far a queue exceeds its width because no transaction has acquired the key for too long. It admits one more, after
 * the same time again two more, then four, for a while. It never admits all at once, because the crowd of other JVMs at
 * the server may keep this JVM from the key. It is used under the lock of the queue, except for {@link #untilMore}.
 */
final class Relief {
    static final Relief NEVER = new Relief(Long.MAX_VALUE);

    /** How long the queue stays wider, in multiples of the longest wait. */
    private static final int WIDE_TIMES = 10;

    private static final int MOST = 1 << 12;

    private final long longestNanos;

    /** When a transaction last acquired the key, or the queue began or became wider. */
    private volatile long moved;

    private int more;
    private long moreUntil;

    /** How many places it gained the last time after a transaction had acquired the key. */
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

    /** @param beyond how many more than the width are inside */
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
