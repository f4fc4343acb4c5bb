package org.rowlock.internal.queue;

/**
 * How many more than its width a queue lets in, as nobody got the key for too long: one, after the same time again two
 * more, then four, for a while. Never all at once: what keeps a JVM from the key may be the crowd of other JVMs at the
 * server. Used under the lock of the queue, but for {@link #untilMore}.
 */
final class Relief {
    static final Relief NEVER = new Relief(Long.MAX_VALUE);

    /** How many times the longest wait more may be in after it. */
    private static final int WIDE_TIMES = 10;

    private static final int MOST = 1 << 12;

    private final long longestNanos;

    /** When somebody got the key, or the queue began, or it became wider. */
    private volatile long moved;

    private int more;
    private long moreUntil;

    /** By how many it became wider last, since somebody got the key. */
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

    /** @param beyond how many more than the width are in */
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
