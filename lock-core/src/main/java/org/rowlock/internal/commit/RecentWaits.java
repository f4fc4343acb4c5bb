package org.rowlock.internal.commit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The keys for which a thread has just waited at the server, by how long a lock takes against the shortest ever:
 * a thread that has waited mostly has others behind it, of other JVMs too. Wrong at times; only speed depends on it.
 * Thread-safe.
 */
final class RecentWaits {
    /** A power of two. Keys that fall on one place share it. */
    private static final int PLACES = 1 << 12;

    static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the shortest is a wait, and no noise. */
    private static final int TIMES = 3;

    /** Until when a key counts as wanted. */
    private final AtomicLongArray until = new AtomicLongArray(PLACES);

    private final long begun = System.nanoTime();

    /** The shortest ever, of locks alone and of those with their COMMIT. */
    private final AtomicLongArray shortest = new AtomicLongArray(new long[] {Long.MAX_VALUE, Long.MAX_VALUE});

    private final long recentNanos;

    /** @param recentNanos for how long a key counts as wanted */
    RecentWaits(long recentNanos) {
        this.recentNanos = recentNanos;
    }

    /** A key was locked, with the COMMIT or without, and it took so long. */
    void locked(int hash, boolean committed, long nanos) {
        int kind = committed ? 1 : 0;
        if (nanos <= shortest.get(kind)) {
            shortest.set(kind, nanos);
        } else if (nanos / TIMES > shortest.get(kind)) {
            until.set(place(hash), now() + recentNanos);
        }
    }

    /** Whether somebody has just waited for it. */
    boolean isRecent(int hash) {
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
