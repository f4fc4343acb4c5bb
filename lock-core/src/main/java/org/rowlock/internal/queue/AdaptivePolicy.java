package org.rowlock.internal.queue;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Adapts the queues of a key to measured times, unless the width is fixed. In an admission queue, {@link AdaptiveWidth}
 * determines the width, except while many clients without Rowlock wait for the key.
 *
 * <p>In a {@code ROW} queue, up to {@link #FEW} transactions are admitted without a wait, because waiting at the server
 * is faster than waiting in the JVM. While transactions wait in the JVM, the width is {@link #WIDE}, so that the next
 * transaction is already at the server when the lock is released. The width is larger if a hold takes less time than
 * waking a thread. While many clients without Rowlock wait for the key, or are not counted yet, the width is unlimited.
 * Otherwise a JVM with few sessions at the server would starve, because the server grants a row to one session after
 * another.
 *
 * <p>The <em>crowd</em> of a lock is the length of the queue at the server: how many transactions of all JVMs acquire
 * the key first. The crowd is estimated as the wait for the lock divided by the time of one hold. This JVM measures
 * both times, so a shortage of processors lengthens both times by about the same factor. If transactions of this JVM
 * held the lock for longer than estimated, the additional time is subtracted from the wait. {@link FrontPolicy} decides
 * from the crowd whether to use a front lock.
 */
public final class AdaptivePolicy implements QueuePolicy {
    private static final double STEP = 0.125;
    private static final int HOLD_SHARE = 16;
    private static final int MUCH_LESS = 4;
    private static final double MOST_FOREIGN = 64;

    /** How many transactions of a {@code ROW} queue are admitted without a wait. */
    static final int FEW = 8;

    private static final int WIDE = 4;

    /** The approximate time to wake a thread on a busy machine. */
    private static final double WAKE_NANOS = 500_000;

    /** The shortest hold for which the width is limited. With shorter holds, a long server queue costs nothing. */
    private static final double SHORTEST_NANOS = WAKE_NANOS / 4;

    private final int fixed;
    private final OpenPolicy open;
    private final FrontPolicy front;
    private @Nullable AdaptiveWidth stays;

    /** The estimated time of one hold; 0 if it is unknown. */
    long heldNanos;

    /** The estimated number of transactions in other JVMs that contend for the key at once; 0 if it is unknown. */
    double foreign;

    /**
     * @param width how many transactions are admitted at a time; 0 for an adaptive width
     * @param nanos returns a time that never decreases
     * @param clients shared by all policies of the same {@link KeyQueues}
     */
    AdaptivePolicy(int width, LongSupplier nanos, OtherClients clients) {
        this.fixed = width;
        this.open = new OpenPolicy(nanos, clients);
        this.front = new FrontPolicy(nanos, open, clients);
    }

    @Override
    public int width(boolean kept, int waiting) {
        if (fixed > 0) {
            return fixed;
        }
        if (kept ? open.isBesideMany() : open.isOpen()) {
            // An admission queue keeps a limit, because its callers borrow connections after admission. Callers of
            // other keys need connections, too.
            return kept ? AdaptiveWidth.MOST : Integer.MAX_VALUE;
        }
        if (kept) {
            return stays == null ? AdaptiveWidth.LEAST : stays.now();
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
        return WIDE;
    }

    @Override
    public long frontNanos(boolean always) {
        return front.mostNanos(always);
    }

    @Override
    public @Nullable Question asks(int wanting, boolean grouped) {
        return front.asks(wanting, grouped, foreign);
    }

    @Override
    public void answered(Question question, int answer) {
        front.answered(question, answer);
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
    public void waited(long nanos, int holds, long ownNanos, long keyNanos) {
        // A wait for the row is evaluated in two cases: the wait was very long, or the wait for the front lock was at
        // least as long as a hold.
        long rowNanos = nanos - Math.max(0, keyNanos);
        boolean counts = heldNanos > 0 && (keyNanos >= heldNanos || rowNanos >= FrontPolicy.VERY_LONG_NANOS);
        double rowHolds = counts ? (double) rowNanos / heldNanos : Double.NaN;
        front.locked(keyNanos >= 0, crowd(nanos, holds, ownNanos), holds, nanos, rowHolds);
    }

    /**
     * Returns the crowd, or 0 if the time of a hold is unknown. If the crowd is known, moves {@link #foreign} by one
     * step. The size of the step does not depend on the crowd, so outliers have little weight.
     */
    private double crowd(long nanos, int holds, long ownNanos) {
        if (heldNanos == 0) {
            return 0;
        }
        long longer = Math.max(0, ownNanos - holds * heldNanos);
        double crowd = (double) (nanos - longer) / heldNanos;
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
     * Returns the inverse weight of an inexact hold time. An inexact time may be too long, so a time below the estimate
     * has more weight than a time above it. A much shorter time has the most weight, because earlier times probably
     * included idle time of the connection.
     */
    private int inexactShare(long nanos, boolean longer) {
        if (longer) {
            return 2 * HOLD_SHARE;
        }
        return nanos < heldNanos / MUCH_LESS ? 2 : HOLD_SHARE / 2;
    }

    @Override
    public void placeLeft(long nanos, boolean crowded) {
        if (crowded) {
            if (stays == null) {
                stays = new AdaptiveWidth();
            }
            stays.left(nanos, true);
        }
    }
}
