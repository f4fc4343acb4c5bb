package org.rowlock.internal.queue;

/**
 * How long a row is held, and how many of other JVMs want it: who waits longer than those of this JVM in front of it can
 * account for has others in front. Both step by a fixed amount, so that they tend to the median and outliers count little. Updates that race
 * may be lost. Thread-safe.
 */
public final class RowEstimate {
    private static final double STEP = 0.125;
    private static final int HOLD_SHARE = 16;
    private static final double MOST = 64;

    private volatile long heldNanos;
    private volatile double foreign;

    /** Somebody had the row for so long. */
    public void held(long nanos) {
        long before = heldNanos;
        long step = Math.max(1, before / HOLD_SHARE);
        heldNanos = before == 0 ? nanos : before + (nanos > before ? step : -step);
    }

    /**
     * Somebody has got the row.
     *
     * @param waitedNanos until then
     * @param inFront how many of this JVM there were
     */
    public void waited(long waitedNanos, int inFront) {
        long held = heldNanos;
        if (held > 0) {
            // One more had the row when those in front came.
            double others = (double) waitedNanos / held - inFront - 1;
            double before = foreign;
            foreign = Math.min(MOST, Math.max(0, before + (others > before ? STEP : -STEP)));
        }
    }

    /** How long it is held, 0 where this is not known. */
    long heldNanos() {
        return heldNanos;
    }

    /** How many of other JVMs want the row at a time, 0 where this is not known. */
    public double foreign() {
        return foreign;
    }
}
