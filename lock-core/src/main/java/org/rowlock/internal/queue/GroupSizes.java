package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The largest number of calls that may share a transaction (a group), for each key. The size is a power of two. After a
 * rollback, the size is half of the size of the group, and then grows slowly. Keys with the same hash share one size,
 * which affects only speed. Thread-safe; a lost update of a size does no harm.
 */
public final class GroupSizes {
    private static final int PLACES = 1 << 10;

    /** How many groups of the allowed size must succeed before the allowed size doubles. */
    private static final int STEPS = 16;

    /** After the server has refused a group, about this many calls run alone before the next group is tried. */
    private static final int REFUSED = 2_000;

    private final int largest;

    /**
     * For each hash, the number of groups or calls that must succeed until the largest size is allowed again. Each
     * halving of the size adds {@link #STEPS}.
     */
    private final AtomicIntegerArray smaller = new AtomicIntegerArray(PLACES);

    /** @param largest the largest number of callers that may share a transaction; rounded down to a power of two */
    public GroupSizes(int largest) {
        this.largest = rounded(largest);
    }

    /** Rounds down to a power of two, because the server prepares the statements of each size separately. */
    public static int rounded(int size) {
        return Integer.highestOneBit(size);
    }

    public int most(Object key) {
        return Math.max(1, largest >> Math.min(Integer.SIZE - 1, (smaller.get(place(key)) + STEPS - 1) / STEPS));
    }

    public void done(Object key, int size) {
        if (size >= most(key)) {
            smaller.updateAndGet(place(key), steps -> Math.max(0, steps - 1));
        }
    }

    public void undone(Object key, int size) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(2 * largest / rounded(size)) * STEPS);
    }

    /** Records that the server has refused a group for a reason that also applies to the next group. */
    public void refused(Object key) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(largest) * STEPS + REFUSED);
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
