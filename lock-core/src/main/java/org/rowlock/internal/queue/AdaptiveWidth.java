package org.rowlock.internal.queue;

import java.util.Arrays;

/**
 * As many as would be in if nobody waited at the server, and one who waits there. Where a lock is held for longer than
 * the way to the server takes, these are two or three; where it is held for less, more are on their way at a time, and
 * with two the key would be free until the next arrives.
 *
 * <p>Learns from the time that each was in, which is way, wait and hold together: how long it takes alone, and how long
 * in a crowd. By Little's law the one is to the other as the calls not waiting are to all in it. Now and then, at first
 * often, it lets in one at a time, to see anew how long it takes alone: in the median, as calls that are the first of
 * their connection take many times as long. Until then it stays as narrow as can be.
 */
final class AdaptiveWidth {
    /** The holder, and the next. */
    static final int LEAST = 2;

    /** So that one key does not take the pool. */
    static final int MOST = 8;

    /** How many of each place make a mean. */
    private static final int SAMPLES = 8;

    /** How many means until it looks anew, at most; at first one, and each time twice as many. */
    private static final int MEANS = 64;

    /** So much shorter than was thought is a mean that says only that. */
    private static final double SURPRISE = 1.25;

    /** More than the means ask for, as times vary, and a key that is free costs more than one who waits. */
    private static final double ROOM = 1.2;

    private int width = LEAST;
    private boolean looking;
    private double aloneNanos;
    private final long[] last = new long[SAMPLES];
    private double sumNanos;
    private int samples;
    private int means;
    private int meansToLook = 1;

    /** How many are still in, or came in too early, for the present width to show. */
    private int toSkip;

    /** How many may be in, at least 1. */
    int now() {
        return looking ? 1 : width;
    }

    /**
     * Somebody has left.
     *
     * @param nanos how long it was in
     * @param crowded whether somebody waits to be let in
     */
    void left(long nanos, boolean crowded) {
        if (crowded && --toSkip < 0) {
            toSkip = 0;
            sumNanos += nanos;
            last[samples++ % SAMPLES] = nanos;
            if (samples == SAMPLES * now()) {
                double mean = Math.max(1, sumNanos / samples);
                sumNanos = 0;
                samples = 0;
                learn(mean);
            }
        }
    }

    private void learn(double meanNanos) {
        if (looking) {
            looking = false;
            Arrays.sort(last);
            aloneNanos = last[SAMPLES / 2];
            toSkip = width;
            return;
        }
        means++;
        if (means == meansToLook) {
            means = 0;
            meansToLook = Math.min(MEANS, 2 * meansToLook);
            looking = true;
            toSkip = width - 1;
            return;
        }
        if (meanNanos < aloneNanos) {
            // The way has become shorter, or what was looked at was cold throughout.
            aloneNanos = (aloneNanos + meanNanos) / 2;
        }
        if (aloneNanos <= SURPRISE * meanNanos) {
            long wanted = Math.round(1 + width * Math.min(1, ROOM * aloneNanos / meanNanos));
            int step = Long.compare(wanted, width);
            int next = Math.max(LEAST, Math.min(MOST, width + step));
            toSkip = next == width ? 0 : width;
            width = next;
        }
    }
}
