package org.rowlock.internal.queue;

import java.util.Arrays;

/**
 * The width of a queue: as many transactions as would be inside if none waited at the server, and one that waits there.
 * If a lock is held for longer than a round trip takes, the width is two or three. If it is held for less, more
 * transactions are on their way at a time. With two, the key would be free until the next one arrives.
 *
 * <p>It learns from the time that each transaction is inside, which is the sum of its round trips, its wait and its
 * hold. By Little's law, the time alone is to the time in a crowd as the transactions that do not wait are to all
 * inside. From time to time, often at first, only one transaction at a time is admitted, to measure the time alone. The
 * median is taken, because the first transactions on a connection take many times as long. Until then the width is the
 * smallest.
 */
final class AdaptiveWidth {
    /** The smallest width: the holder and the next transaction. */
    static final int LEAST = 2;

    /** The largest width, so that one key does not occupy the whole pool. */
    static final int MOST = 8;

    /** How many transactions for each place make a mean. */
    private static final int SAMPLES = 8;

    /**
     * The most means between two measurements of the time alone. The first comes after one mean, and then the number
     * doubles.
     */
    private static final int MEANS = 64;

    /** A mean that is shorter than the time alone by more than this factor only corrects that time. */
    private static final double SURPRISE = 1.25;

    /** The room beyond what the means require. Times vary, and a free key costs more than a waiting transaction. */
    private static final double ROOM = 1.2;

    private int width = LEAST;
    private boolean looking;
    private double aloneNanos;
    private final long[] last = new long[SAMPLES];
    private double sumNanos;
    private int samples;
    private int means;
    private int meansToLook = 1;

    /** How many transactions to leave out, because they entered before the present width applied. */
    private int toSkip;

    /** Returns how many transactions may be inside, at least 1. */
    int now() {
        return looking ? 1 : width;
    }

    /**
     * Records that a transaction has left.
     *
     * @param nanos how long it was inside
     * @param crowded whether another transaction waits to enter
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
            // The round trip has become shorter, or all connections were cold when the time alone was measured.
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
