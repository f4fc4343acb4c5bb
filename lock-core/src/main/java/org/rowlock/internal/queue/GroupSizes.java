package org.rowlock.internal.queue;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How large the groups of a key may be, a power of two: half as large when one was undone, and slowly larger again. By
 * hash: that two keys share a place costs speed only. Thread-safe; what is lost in a race is learnt again.
 */
public final class GroupSizes {
    private static final int PLACES = 1 << 10;

    /** How many groups as large as may be are done until they may be twice as large. */
    private static final int STEPS = 16;

    /** How many go alone where the server has refused, until it is tried again. */
    private static final int REFUSED = 2_000;

    private final int largest;

    /** By how many halvings they are smaller, rounded up; in {@link #STEPS}. */
    private final AtomicIntegerArray smaller = new AtomicIntegerArray(PLACES);

    /** @param largest how many may share a transaction; rounded down */
    public GroupSizes(int largest) {
        this.largest = rounded(largest);
    }

    /** Few sizes, as the server prepares the statements of each anew. */
    public static int rounded(int size) {
        return Integer.highestOneBit(size);
    }

    /** How many of a key may share one now. */
    public int most(Object key) {
        return Math.max(1, largest >> Math.min(Integer.SIZE - 1, (smaller.get(place(key)) + STEPS - 1) / STEPS));
    }

    /** A group, or one alone, has been done. */
    public void done(Object key, int size) {
        if (size >= most(key)) {
            smaller.updateAndGet(place(key), steps -> Math.max(0, steps - 1));
        }
    }

    public void undone(Object key, int size) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(2 * largest / rounded(size)) * STEPS);
    }

    /** The server has refused a group, and will again. */
    public void refused(Object key) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(largest) * STEPS + REFUSED);
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
