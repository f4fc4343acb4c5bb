package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;

/** The front lock of a queue entry, acquired before the row lock. Only the entry's thread uses this object. */
public final class Front {
    private final QueueEntry entry;
    private final long mostNanos;

    private long key;

    /** The time of the wait for the front lock. */
    long waitedNanos;

    Front(QueueEntry entry, long mostNanos) {
        this.entry = entry;
        this.mostNanos = mostNanos;
    }

    /** Sets the key of the row's front lock. Returns this object. */
    public Front of(long front) {
        this.key = front;
        return this;
    }

    public long key() {
        return key;
    }

    /** Returns the longest wait for the front lock in milliseconds, at least 1. */
    public int millis() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(mostNanos)));
    }

    /** Records the wait for the front lock; negative if no front lock was acquired. */
    public void answered(long nanos) {
        waitedNanos = nanos;
        if (nanos < 0) {
            unsent();
        }
    }

    public void unsent() {
        entry.front = null;
    }

    /** Records that the front lock could not be acquired in time. The flush is then sent again without a front lock. */
    public void givenUp() {
        synchronized (entry.queue.lock) {
            unsent();
            entry.queue.policy.frontGivenUp(System.nanoTime() - entry.sentNanos);
            entry.startServerWait();
        }
    }
}
