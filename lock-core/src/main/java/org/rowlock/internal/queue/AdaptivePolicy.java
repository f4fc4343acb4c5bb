package org.rowlock.internal.queue;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Learns from one key. Where places are kept, {@link AdaptiveWidth} finds how many transactions keep the key busy.
 * Where they are left at the server's answer, few contenders are faster without a queue; a queue, once there is one, is
 * to be short at the server. It is never empty, so that the key is not free for a round trip; and longer where the key
 * is held for less than it takes to wake the next thread, or where other transactions that no queue thins out want it.
 *
 * <p>A lock takes as many holds as there are transactions in front of it, of whatever JVM: its <em>crowd</em>. Both
 * times are measured by this JVM, so that one short of processor has both too long alike. {@link FrontPolicy} makes of
 * it whether the advisory key goes in front.
 */
public final class AdaptivePolicy implements QueuePolicy {
    private static final double STEP = 0.125;
    private static final int HOLD_SHARE = 16;
    private static final int MUCH_LESS = 4;
    private static final double MOST_FOREIGN = 64;

    private static final int FEW = 8;
    private static final int WIDE = 4;

    /** About what waking a thread takes on a busy machine. */
    private static final double WAKE_NANOS = 500_000;

    /** Of a row that is held for less, no server's queue is long enough to cost anything. */
    private static final double SHORTEST_NANOS = WAKE_NANOS / 4;

    private final int fixed;
    private final FrontPolicy front;
    private @Nullable AdaptiveWidth stays;

    /** How long the key is held, 0 where this is not known. */
    long heldNanos;

    /** How many of other JVMs want the key at a time, 0 where this is not known. */
    double foreign;

    /**
     * A policy that has seen nothing.
     *
     * @param width how many may be inside; 0 where that adapts
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
        // Half of the others: with as many as they, two JVMs of Rowlock would raise each other.
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
        // Where nobody was in front at the key, its queue kept nobody back, and a wait for the row says nothing.
        double rowHolds = heldNanos > 0 && keyNanos >= heldNanos ? (double) (nanos - keyNanos) / heldNanos : Double.NaN;
        front.locked(keyNanos >= 0, crowd(nanos, holds), holds, nanos, rowHolds, nanos - keyNanos);
    }

    /** Steps of a size that depends on the estimate alone, so that it tends to the median and outliers count little. */
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

    /** Of what may have been less the shorter ones say more, and most if the connection was idle before. */
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
