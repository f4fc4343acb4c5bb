package org.rowlock.internal.text;

/**
 * The stack of the calling thread. A StackOverflowError in the middle of a commit says nothing of what is stored, and
 * in a place that is to be left keeps the others waiting; so what must run to its end begins by asking for the stack
 * that it takes.
 */
public final class Stack {
    /** About 64 kB of compiled frames, and more of interpreted ones: several times what the driver takes. */
    private static final int FRAMES = 600;

    /** Keeps the compiler from leaving the frames out. */
    private static volatile long seen;

    private Stack() {}

    /**
     * Takes it for a moment.
     *
     * @throws StackOverflowError if not enough is left, while nothing has been done
     */
    public static void reserve() {
        if (deep(FRAMES, 1, 2, 3, 4, 5, 6) == 0) {
            seen = 1;
        }
    }

    /** Takes a frame with values that live across the call. */
    private static long deep(int left, long a, long b, long c, long d, long e, long f) {
        return left == 0 ? seen : deep(left - 1, b, c, d, e, f, a + left) + (a ^ b) + (c ^ d) + (e ^ f);
    }
}
