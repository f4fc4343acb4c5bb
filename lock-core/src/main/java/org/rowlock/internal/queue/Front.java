package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;

/** The advisory key that goes in front of an entry's lock, in the same flush. Only the entry's thread uses it. */
public final class Front {
    private final QueueEntry entry;
    private final long mostNanos;

    /** Whether the server reports how long the wait for the key was. */
    private final boolean timed;

    private long key;

    /** The part of the wait that was spent on the key; 0 if this is unknown. */
    long waitedNanos;

    Front(QueueEntry entry, long mostNanos, boolean timed) {
        this.entry = entry;
        this.mostNanos = mostNanos;
        this.timed = timed;
    }

    public Front of(long row) {
        this.key = row;
        return this;
    }

    public long key() {
        return key;
    }

    /** Returns the longest wait for the key, at least 1. */
    public int millis() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(mostNanos)));
    }

    public boolean isTimed() {
        return timed;
    }

    /**
     * Records the server's answer: how long the wait for the key was, 0 if it did not report that, negative if it
     * locked no key.
     */
    public void answered(long nanos) {
        waitedNanos = nanos;
        if (nanos < 0) {
            unsent();
        }
    }

    public void unsent() {
        entry.front = null;
    }

    /** Records that the key could not be acquired, and that the lock is sent again without it. */
    public void givenUp() {
        synchronized (entry.queue.lock) {
            unsent();
            entry.queue.policy.frontGivenUp(System.nanoTime() - entry.sentNanos);
            entry.begin();
        }
    }
}
