package org.rowlock.internal.queue;

import java.util.Arrays;

/**
 * The width of an admission queue, adapted to the load. The width is the number of transactions needed to keep the key
 * locked all the time, plus one that waits at the server. If a lock is held for longer than a round trip takes, a width
 * of two or three suffices. If a lock is held for less time, more transactions must be on their way to the server.
 * Otherwise the key is free until the next transaction arrives.
 *
 * <p>While transactions wait in the queue, this class measures the <em>stay</em> of each admitted transaction: the sum
 * of its round trips, its wait at the server and its hold of the lock. By Little's law, the share of admitted
 * transactions that do not wait is the stay without a wait divided by the mean stay. To measure the stay without a
 * wait, the queue sometimes admits only one transaction at a time. These measurements are frequent at first and rare
 * later. Each measurement is the median of several stays, because the first transactions on a connection take many
 * times as long as later ones. Until the first measurement the width is {@link #LEAST}.
 */
final class AdaptiveWidth {
    /** The smallest width: the holder and the next transaction. */
    static final int LEAST = 2;

    /** The largest width, so that one key does not occupy the whole pool. */
    static final int MOST = 8;

    /** Each mean stay is computed from the stays of {@code SAMPLES * width} transactions. */
    private static final int SAMPLES = 8;

    /** The stay without a wait is measured after 1 mean stay, then after 2, 4, and so on up to this number. */
    private static final int MEANS = 64;

    /**
     * The largest plausible quotient of two times: the measured stay without a wait, divided by the mean stay. A larger
     * quotient shows that the measurement is wrong. The width then does not change until the measurement is corrected.
     */
    private static final double SURPRISE = 1.25;

    /**
     * The computed number of necessary transactions is multiplied by this factor, because times vary, and a free key
     * costs more than a waiting transaction.
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

    int now() {
        return looking ? 1 : width;
    }

    /**
     * Records that a transaction has left the queue.
     *
     * @param nanos the stay of the transaction
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
            // The measured stay without a wait is too long. Round trips have become shorter since the measurement, or
            // all connections were new at that time.
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
