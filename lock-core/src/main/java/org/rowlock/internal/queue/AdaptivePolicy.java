package org.rowlock.internal.queue;

import org.jspecify.annotations.Nullable;

/**
 * Learns from one key. Where places are kept, {@link AdaptiveWidth} finds how many transactions keep the key busy.
 * Where they are left at the server's answer, few contenders are faster without a queue; a queue, once there is one, is
 * to be short at the server, and the shorter the more other JVMs have one of their own. It is never empty, so that the
 * key is not free for a round trip; and longer where the key is held for less than it takes to wake the next thread.
 *
 * <p>A transaction that waits longer than those of this JVM in front of it can account for has others in front. Hold
 * and others step by a fixed amount, so that they tend to the median and outliers count little.
 */
public final class AdaptivePolicy implements QueuePolicy {
    private static final double STEP = 0.125;
    private static final int HOLD_SHARE = 16;
    private static final double MOST_FOREIGN = 64;

    private static final int FEW = 12;
    private static final int WIDE = 4;

    /** Beyond so many over all JVMs the server's queue of row locks costs more than an advisory lock. */
    private static final int CROWD = 8;

    /** About what waking a thread takes on a busy machine. */
    private static final double WAKE_NANOS = 500_000;

    /** Of a row that is held for less, no server's queue is long enough to cost anything. */
    private static final double SHORTEST_NANOS = WAKE_NANOS / 4;

    private @Nullable AdaptiveWidth stays;
    private long heldNanos;
    private double foreign;

    @Override
    public int width(boolean kept, int waiting) {
        if (kept) {
            return stays == null ? AdaptiveWidth.LEAST : stays.now();
        }
        return waiting == 0 ? Math.max(Math.max(WIDE, FEW - (int) foreign), queued()) : queued();
    }

    private int queued() {
        if (heldNanos > 0 && heldNanos < SHORTEST_NANOS) {
            return Integer.MAX_VALUE;
        }
        if (heldNanos > 0 && heldNanos < WAKE_NANOS) {
            return (int) (WIDE * WAKE_NANOS / heldNanos);
        }
        if (foreign > WIDE) {
            return 1;
        }
        return foreign > 2 ? 2 : WIDE;
    }

    @Override
    public boolean fronts(int wanting) {
        return foreign >= WIDE && wanting + foreign > CROWD;
    }

    @Override
    public boolean isWantedElsewhere() {
        return foreign >= 1;
    }

    @Override
    public void waited(long nanos, int holds) {
        if (heldNanos > 0) {
            double others = (double) nanos / heldNanos - holds;
            foreign = Math.min(MOST_FOREIGN, Math.max(0, foreign + (others > foreign ? STEP : -STEP)));
        }
    }

    @Override
    public void held(long nanos) {
        long step = Math.max(1, heldNanos / HOLD_SHARE);
        heldNanos = heldNanos == 0 ? nanos : heldNanos + (nanos > heldNanos ? step : -step);
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

    /** How long the key is held, 0 where this is not known. */
    long heldNanos() {
        return heldNanos;
    }

    /** How many of other JVMs want the key at a time, 0 where this is not known. */
    double foreign() {
        return foreign;
    }
}
