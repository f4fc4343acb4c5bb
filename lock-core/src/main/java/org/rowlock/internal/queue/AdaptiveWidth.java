package org.rowlock.internal.queue;

import java.util.Arrays;

/**
 * The width of an admission queue: as many transactions as are needed to keep the key busy, and one more, which waits
 * at the server. If a lock is held for longer than a round trip takes, the width is two or three. If the lock is held
 * for less time, more transactions must be on their way to the server. Otherwise the key would be free until the next
 * transaction arrives.
 *
 * <p>This class measures how long each admitted transaction takes: its round trips, its wait and its hold. By Little's
 * law, the share of admitted transactions that do not wait is the time without a wait divided by the measured time. To
 * measure the time without a wait, the queue sometimes admits only one transaction at a time, more often at first. The
 * measured time is the median, because the first transactions on a connection take many times as long as later ones.
 * Until the first measurement the width is the smallest.
 */
final class AdaptiveWidth {
    /** The smallest width: the holder and the next transaction. */
    static final int LEAST = 2;

    /** The largest width, so that one key does not occupy the whole pool. */
    static final int MOST = 8;

    /** A mean is taken over this number of transactions times the width. */
    private static final int SAMPLES = 8;

    /**
     * The largest number of means between two measurements of the time without a wait. The number begins with one, and
     * doubles each time.
     */
    private static final int MEANS = 64;

    /** If the time without a wait is longer than a mean by more than this factor, it was wrong and is corrected. */
    private static final double SURPRISE = 1.25;

    /**
     * The factor by which the width exceeds the computed width, because times vary, and a free key costs more than a
     * waiting transaction.
     */
    private static final double ROOM = 1.2;

    private int width = LEAST;
    private boolean looking;
    private double aloneNanos;
    private final long[] last = new long[SAMPLES];
    private double sumNanos;
    private int samples;
    private int means;
    private int meansToLook = 1;

    /** How many transactions to ignore, because they were admitted before the present width applied. */
    private int toSkip;

    /** Returns how many transactions may be admitted at a time, at least 1. */
    int now() {
        return looking ? 1 : width;
    }

    /**
     * Records that a transaction has left.
     *
     * @param nanos the time since it was admitted
     * @param crowded whether another transaction waits in the queue
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
            // The measured time without a wait is too long: round trips have become shorter since, or all connections
            // were new at that time.
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
