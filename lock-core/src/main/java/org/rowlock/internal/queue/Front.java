package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;

/** The advisory key that goes in front of the lock of an entry, in the same flush. Used by the entry's thread. */
public final class Front {
    private final QueueEntry entry;
    private final long mostNanos;

    /** Whether the server is to say how long the wait was. */
    private final boolean timed;

    private long key;

    /** Of the wait for the lock what was a wait for the key; 0 where this is not known. */
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

    /** The longest wait for the key, at least 1. */
    public int millis() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(mostNanos)));
    }

    public boolean isTimed() {
        return timed;
    }

    /** The server has answered: how long the wait for the key was, 0 if it did not say, negative if it locked none. */
    public void answered(long nanos) {
        waitedNanos = nanos;
        if (nanos < 0) {
            unsent();
        }
    }

    public void unsent() {
        entry.front = null;
    }

    /** It could not be had, and the lock is sent again without it. */
    public void givenUp() {
        synchronized (entry.queue.lock) {
            unsent();
            entry.queue.policy.frontGivenUp(System.nanoTime() - entry.sentNanos);
            entry.begin();
        }
    }
}
