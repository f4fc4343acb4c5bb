package org.rowlock.internal.text;

/**
 * The stack of the calling thread. A StackOverflowError in the middle of a commit does not show what is stored. In a
 * queue, it would leave a place occupied and block other threads. Therefore code that must run to its end first
 * reserves the stack that it needs.
 */
public final class Stack {
    /**
     * The number of frames: about 64 kB if compiled, and more if interpreted. That is several times what the driver
     * needs.
     */
    private static final int FRAMES = 600;

    /** A sink that prevents the compiler from removing the frames. */
    private static volatile long seen;

    private Stack() {}

    /**
     * Uses the stack for a moment.
     *
     * @throws StackOverflowError if not enough is left, while nothing has been done
     */
    public static void reserve() {
        if (deep(FRAMES, 1, 2, 3, 4, 5, 6) == 0) {
            seen = 1;
        }
    }

    /** Recurses in frames with values that live across the call. */
    private static long deep(int left, long a, long b, long c, long d, long e, long f) {
        return left == 0 ? seen : deep(left - 1, b, c, d, e, f, a + left) + (a ^ b) + (c ^ d) + (e ^ f);
    }
}
