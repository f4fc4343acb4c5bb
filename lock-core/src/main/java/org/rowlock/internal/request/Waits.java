package org.rowlock.internal.request;

import java.time.Duration;
import org.rowlock.LockWait;

/** What remains of a wait. */
public final class Waits {
    private Waits() {}

    /** The longest that a wait may take. */
    public static long atMostNanos(LockWait wait) {
        return wait instanceof LockWait.AtMost bound ? bound.duration().toNanos() : Long.MAX_VALUE;
    }

    /**
     * The wait that is left.
     *
     * @param startNanos System.nanoTime() when the wait began
     */
    public static LockWait remaining(LockWait wait, long startNanos) {
        if (wait instanceof LockWait.AtMost bound) {
            Duration left = bound.duration().minusNanos(System.nanoTime() - startNanos);
            return left.isNegative() ? LockWait.noWait() : LockWait.atMost(left);
        }
        return wait;
    }
}
