package org.rowlock.testing;

import java.util.concurrent.TimeUnit;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueuePolicy;

/** Always the same. A test extends it by what else it decides or is told. */
public class FixedWidth implements QueuePolicy {
    private final int width;
    private final long frontNanos;

    /**
     * A policy.
     *
     * @param width how many may be inside
     * @param frontNanos how long each waits at most for the advisory key in front of its lock; 0 for no key in front
     */
    public FixedWidth(int width, long frontNanos) {
        this.width = width;
        this.frontNanos = frontNanos;
    }

    /** Queues of one width. */
    public static KeyQueues queues(int width) {
        return queues(width, TimeUnit.SECONDS.toNanos(1));
    }

    /** The same, with another time after which more are let in. */
    public static KeyQueues queues(int width, long longestNanos) {
        QueuePolicy fixed = new FixedWidth(width, 0);
        return new KeyQueues(() -> fixed, longestNanos);
    }

    @Override
    public int width(boolean kept, int waiting) {
        return width;
    }

    @Override
    public long frontNanos(boolean always) {
        return frontNanos;
    }
}
