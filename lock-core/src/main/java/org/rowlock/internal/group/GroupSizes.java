package org.rowlock.internal.group;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How large the groups of a key may be, a power of two: half as large when one was undone, and slowly twice as large again. By hash,
 * so that nothing is kept per key; that two keys share a place costs speed only. Thread-safe; what is lost in a race is learnt
 * again.
 */
final class GroupSizes {
    private static final int PLACES = 1024;

    /** How many groups as large as may be are done until they may be larger. */
    private static final int STEPS = 16;

    /** How many go alone where the server has refused, until it is tried again. */
    private static final int REFUSED = 2_000;

    private final int largest;

    /** By how many halvings they are smaller, rounded up; in {@link #STEPS}. */
    private final AtomicIntegerArray smaller = new AtomicIntegerArray(PLACES);

    GroupSizes(int largest) {
        this.largest = rounded(largest);
    }

    /** Few sizes, as the server prepares the statements of each anew. */
    static int rounded(int size) {
        return Integer.highestOneBit(size);
    }

    int most(Object key) {
        return most(smaller.get(place(key)));
    }

    private int most(int steps) {
        return Math.max(1, largest >> Math.min(Integer.SIZE - 1, (steps + STEPS - 1) / STEPS));
    }

    /** A group, or one alone, has been done. */
    void done(Object key, int size) {
        int place = place(key);
        int now = smaller.get(place);
        if (now > 0 && size >= most(now)) {
            smaller.compareAndSet(place, now, now - 1);
        }
    }

    void undone(Object key, int size) {
        smaller.set(place(key), steps(rounded(size) / 2));
    }

    void refused(Object key) {
        smaller.set(place(key), steps(1) + REFUSED);
    }

    private int steps(int size) {
        return (Integer.numberOfTrailingZeros(largest) - Integer.numberOfTrailingZeros(size)) * STEPS;
    }

    private static int place(Object key) {
        return (key.hashCode() * 0x9E3779B9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
    }
}
