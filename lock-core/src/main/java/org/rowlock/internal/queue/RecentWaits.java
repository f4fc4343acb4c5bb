package org.rowlock.internal.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The keys for which a thread has just waited at the server, by how long a lock takes against the shortest ever:
 * a thread that has waited mostly has others behind it, of other JVMs too. Wrong at times; only speed depends on it.
 * Thread-safe.
 */
public final class RecentWaits {
    /** A power of two. Keys that fall on one place share it. */
    private static final int PLACES = 1 << 12;

    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the shortest is a wait, and no noise. */
    private static final int TIMES = 3;

    /** Until when a key counts as wanted. */
    private final AtomicLongArray until = new AtomicLongArray(PLACES);

    private final long begun = System.nanoTime();
    private volatile long shortest = Long.MAX_VALUE;

    private final long recentNanos;

    /** None so far. */
    public RecentWaits() {
        this(RECENT_NANOS);
    }

    /** With another length of a moment, for tests. */
    RecentWaits(long recentNanos) {
        this.recentNanos = recentNanos;
    }

    /** A key was locked, and it took so long. */
    public void locked(int hash, long nanos) {
        if (nanos <= shortest) {
            shortest = nanos;
        } else if (nanos / TIMES > shortest) {
            until.set(place(hash), now() + recentNanos);
        }
    }

    /** Whether somebody has just waited for it. */
    public boolean isRecent(int hash) {
        return until.get(place(hash)) > now();
    }

    /** From zero, which no place is above at first. */
    private long now() {
        return System.nanoTime() - begun;
    }

    private static int place(int hash) {
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
