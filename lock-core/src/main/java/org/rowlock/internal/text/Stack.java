package org.rowlock.internal.text;

/**
 * Reserves stack for the calling thread. After a StackOverflowError during a commit, it would be unknown whether the
 * transaction is stored. After such an error in a queue, a place would stay occupied and block other threads. Therefore
 * code that must not fail halfway first checks that the stack suffices.
 */
public final class Stack {
    /**
     * The number of frames. They take about 64 kB if compiled, and more if interpreted. The driver needs only a
     * fraction of that.
     */
    private static final int FRAMES = 600;

    /** A field to which the result is written, so that the compiler cannot remove the frames. */
    private static volatile long seen;

    private Stack() {}

    /**
     * Uses the stack, and returns.
     *
     * @throws StackOverflowError if the stack does not suffice; at this time nothing has been done
     */
    public static void reserve() {
        if (deep(FRAMES, 1, 2, 3, 4, 5, 6) == 0) {
            seen = 1;
        }
    }

    /** Calls itself. The parameters make each frame large enough. */
    private static long deep(int left, long a, long b, long c, long d, long e, long f) {
        return left == 0 ? seen : deep(left - 1, b, c, d, e, f, a + left) + (a ^ b) + (c ^ d) + (e ^ f);
    }
}
