package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The allowed size of the groups of a key, a power of two. It is halved when a group is rolled back, and slowly grows
 * again. It is kept by hash; two keys with the same place cost only speed. Thread-safe; an update that is lost in a
 * race is learned again.
 */
public final class GroupSizes {
    private static final int PLACES = 1 << 10;

    /** How many groups of the allowed size succeed before that size doubles. */
    private static final int STEPS = 16;

    /** How many calls run alone after the server has refused a group, before the next attempt. */
    private static final int REFUSED = 2_000;

    private final int largest;

    /** How much smaller than the largest the groups of each place are: {@link #STEPS} for each halving, rounded up. */
    private final AtomicIntegerArray smaller = new AtomicIntegerArray(PLACES);

    /** @param largest how many callers may share a transaction; rounded down */
    public GroupSizes(int largest) {
        this.largest = rounded(largest);
    }

    /** Rounds down to a power of two. Sizes are few, because the server prepares the statements of each size anew. */
    public static int rounded(int size) {
        return Integer.highestOneBit(size);
    }

    /** Returns how many calls of a key may share a transaction now. */
    public int most(Object key) {
        return Math.max(1, largest >> Math.min(Integer.SIZE - 1, (smaller.get(place(key)) + STEPS - 1) / STEPS));
    }

    /** Records that a group, or a call alone, has succeeded. */
    public void done(Object key, int size) {
        if (size >= most(key)) {
            smaller.updateAndGet(place(key), steps -> Math.max(0, steps - 1));
        }
    }

    public void undone(Object key, int size) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(2 * largest / rounded(size)) * STEPS);
    }

    /** Records that the server has refused a group, and would refuse the next one. */
    public void refused(Object key) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(largest) * STEPS + REFUSED);
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
