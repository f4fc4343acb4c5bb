package org.rowlock.internal.text;

/**
 * Checks that the stack of the calling thread suffices for an operation that must not fail halfway. A
 * StackOverflowError during a commit would leave the outcome unknown. The same error in a queue would leave the
 * thread's entry in the queue, where it would block other threads.
 */
public final class Stack {
    /** The number of frames for a commit: about 50 kB in compiled code, which is more than the driver needs. */
    public static final int OF_COMMIT = 160;

    /** The number of frames for code of Rowlock that does not call the driver. */
    public static final int OF_QUEUE = 80;

    /** Receives the result, so that the compiler cannot remove the frames. */
    private static volatile long seen;

    private Stack() {}

    /**
     * Uses the given number of frames, and returns.
     *
     * @throws StackOverflowError if the stack does not suffice
     */
    public static void reserve(int frames) {
        if (deep(0, frames, 1) == 0) {
            seen = 1;
        }
    }

    /**
     * Calls itself recursively. Every frame has space for all local variables, but only the first call writes its
     * variables. If every call wrote its variables, the writes would evict other data from the processor's cache, and
     * take longer than the calls.
     */
    private static long deep(int depth, int frames, long x) {
        if (depth == frames) {
            return seen;
        }
        if (depth > 0) {
            return deep(depth + 1, frames, x) + depth;
        }
        long a = x + frames, b = a * 3, c = b ^ a, d = c * 5, e = d ^ b, f = e * 7, g = f ^ c, h = g * 9;
        long i = h ^ d, j = i * 11, k = j ^ e, l = k * 13, m = l ^ f, n = m * 15, o = n ^ g, p = o * 17;
        long q = p ^ h, r = q * 19, s = r ^ i, t = s * 21, u = t ^ j, v = u * 23, w = v ^ k, y = w * 25;
        long a2 = y ^ l, b2 = a2 * 27, c2 = b2 ^ m, d2 = c2 * 29, e2 = d2 ^ n, f2 = e2 * 31, g2 = f2 ^ o;
        long h2 = g2 * 33, i2 = h2 ^ p, j2 = i2 * 35, k2 = j2 ^ q, l2 = k2 * 37, m2 = l2 ^ r, n2 = m2 * 39;
        long z = deep(1, frames, n2);
        long first = (a ^ z) + (b ^ z) + (c ^ z) + (d ^ z) + (e ^ z) + (f ^ z) + (g ^ z) + (h ^ z) + (i ^ z) + (j ^ z);
        long second = (k ^ z) + (l ^ z) + (m ^ z) + (n ^ z) + (o ^ z) + (p ^ z) + (q ^ z) + (r ^ z) + (s ^ z) + (t ^ z);
        long third = (u ^ z) + (v ^ z) + (w ^ z) + (y ^ z) + (a2 ^ z) + (b2 ^ z) + (c2 ^ z) + (d2 ^ z) + (e2 ^ z);
        long fourth = (f2 ^ z) + (g2 ^ z) + (h2 ^ z) + (i2 ^ z) + (j2 ^ z) + (k2 ^ z) + (l2 ^ z) + (m2 ^ z) + (n2 ^ z);
        return first + second + third + fourth;
    }
}
