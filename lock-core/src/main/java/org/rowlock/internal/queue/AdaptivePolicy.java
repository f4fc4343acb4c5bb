package org.rowlock.internal.queue;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Learns from one key. If places are kept, {@link AdaptiveWidth} finds how many transactions keep the key busy. If
 * places are left at the server's answer, a few contenders are faster without a queue. Once there is a queue, only a
 * few transactions wait at the server. At least one does, so that the key is never free for a round trip. More wait
 * there if the key is held for less time than it takes to wake the next thread. The same applies if transactions
 * outside the queues contend for it.
 *
 * <p>A lock takes as many holds as there are transactions in front of it, in any JVM: its <em>crowd</em>. This JVM
 * measures both times, so a shortage of processors lengthens both alike. {@link FrontPolicy} decides from the crowd
 * whether the advisory key goes in front.
 */
public final class AdaptivePolicy implements QueuePolicy {
    private static final double STEP = 0.125;
    private static final int HOLD_SHARE = 16;
    private static final int MUCH_LESS = 4;
    private static final double MOST_FOREIGN = 64;

    private static final int FEW = 8;
    private static final int WIDE = 4;

    /** The approximate time to wake a thread on a busy machine. */
    private static final double WAKE_NANOS = 500_000;

    /** If a row is held for less than this, no length of the server's queue costs anything. */
    private static final double SHORTEST_NANOS = WAKE_NANOS / 4;

    private final int fixed;
    private final FrontPolicy front;
    private @Nullable AdaptiveWidth stays;

    /** How long the key is held; 0 if this is unknown. */
    long heldNanos;

    /** How many transactions of other JVMs contend for the key at a time; 0 if this is unknown. */
    double foreign;

    /**
     * Creates a policy that has not learned anything.
     *
     * @param width how many transactions may be inside; 0 for a width that adapts
     * @param millis the time of day, about the same in all JVMs
     */
    AdaptivePolicy(int width, LongSupplier millis) {
        this.fixed = width;
        this.front = new FrontPolicy(millis);
    }

    @Override
    public int width(boolean kept, int waiting) {
        if (fixed > 0) {
            return fixed;
        }
        if (kept) {
            return front.isOpen() ? AdaptiveWidth.MOST : stays == null ? AdaptiveWidth.LEAST : stays.now();
        }
        return waiting == 0 ? Math.max(FEW, queued()) : queued();
    }

    private int queued() {
        if (heldNanos > 0 && heldNanos < SHORTEST_NANOS) {
            return Integer.MAX_VALUE;
        }
        if (heldNanos > 0 && heldNanos < WAKE_NANOS) {
            return (int) (WIDE * WAKE_NANOS / heldNanos);
        }
        // The width is half the number of the others. With the whole number, two JVMs of Rowlock would raise each
        // other's width.
        return front.isOpen() ? Math.max(FEW, (int) (foreign / 2)) : WIDE;
    }

    @Override
    public long frontNanos(boolean always) {
        return front.mostNanos(always);
    }

    @Override
    public boolean isFrontTimed() {
        return front.isTimed();
    }

    @Override
    public void frontGivenUp(long nanos) {
        front.givenUp(nanos);
    }

    @Override
    public boolean isWantedElsewhere() {
        return foreign >= 1;
    }

    @Override
    public void waited(long nanos, int holds, long keyNanos) {
        // If no transaction was in front at the key, its queue held none back, and a wait for the row proves nothing.
        double rowHolds = heldNanos > 0 && keyNanos >= heldNanos ? (double) (nanos - keyNanos) / heldNanos : Double.NaN;
        front.locked(keyNanos >= 0, crowd(nanos, holds), holds, nanos, rowHolds, nanos - keyNanos);
    }

    /**
     * Returns the crowd, and moves the estimate of other JVMs by a step. The size of a step depends on the estimate
     * alone, so that the estimate approaches the median and outliers have little weight.
     */
    private double crowd(long nanos, int holds) {
        if (heldNanos == 0) {
            return 0;
        }
        double crowd = (double) nanos / heldNanos;
        double step = Math.max(STEP, foreign / HOLD_SHARE);
        foreign = Math.min(MOST_FOREIGN, Math.max(0, foreign + (crowd - holds > foreign ? step : -step)));
        return crowd;
    }

    @Override
    public void held(long nanos, boolean exact) {
        if (heldNanos == 0) {
            heldNanos = nanos;
        } else {
            boolean longer = nanos > heldNanos;
            long step = Math.max(1, heldNanos / (exact ? HOLD_SHARE : inexactShare(nanos, longer)));
            heldNanos += longer ? step : -step;
        }
    }

    /**
     * Returns the divisor for a step from an inexact hold time. Such a time may be an overestimate, so shorter ones
     * weigh more. A much shorter one weighs most, because the connection was probably idle in earlier ones.
     */
    private int inexactShare(long nanos, boolean longer) {
        if (longer) {
            return 2 * HOLD_SHARE;
        }
        return nanos < heldNanos / MUCH_LESS ? 2 : HOLD_SHARE / 2;
    }

    @Override
    public void stayed(long nanos, boolean crowded) {
        if (crowded) {
            if (stays == null) {
                stays = new AdaptiveWidth();
            }
            stays.left(nanos, true);
        }
    }
}
