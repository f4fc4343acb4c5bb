package org.rowlock.internal.commit;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRelease;

/**
 * How transactions end, by what is configured and by whether others want their keys: those of this JVM, or of another
 * if a thread has just waited at the server, by how long its lock took against the shortest ever. A thread that has
 * waited mostly has others behind it. Wrong at times; only speed depends on it. Thread-safe.
 */
public final class Releases {
    /** A power of two. Keys that fall on one place share it. */
    private static final int PLACES = 1 << 12;

    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many times the shortest is a wait, and no noise. */
    private static final int TIMES = 3;

    private final @Nullable EarlyRelease early;
    private final long recentNanos;

    /** Until when a key counts as wanted. */
    private final AtomicLongArray until = new AtomicLongArray(PLACES);

    private final long begun = System.nanoTime();

    /** The shortest ever, of locks alone and of those with their COMMIT. */
    private final AtomicLongArray shortest = new AtomicLongArray(new long[] {Long.MAX_VALUE, Long.MAX_VALUE});

    public Releases(LockRelease release) {
        this(release, RECENT_NANOS);
    }

    /** @param recentNanos for how long a key counts as wanted */
    Releases(LockRelease release, long recentNanos) {
        this.early = release == LockRelease.EARLY ? new EarlyRelease() : null;
        this.recentNanos = recentNanos;
    }

    /**
     * Keys are locked now.
     *
     * @param committed whether the time since then is that of the commit too
     * @param startNanos when that began
     */
    public void locked(List<LockKey> keys, boolean committed, long startNanos) {
        if (early != null) {
            locked(keys.get(0), committed, System.nanoTime() - startNanos);
        }
    }

    void locked(LockKey key, boolean committed, long nanos) {
        int kind = committed ? 1 : 0;
        if (nanos <= shortest.get(kind)) {
            shortest.set(kind, nanos);
        } else if (nanos / TIMES > shortest.get(kind)) {
            until.set(place(key), now() + recentNanos);
        }
    }

    /** Whether somebody has just waited for it. */
    boolean isRecent(LockKey key) {
        return until.get(place(key)) > now();
    }

    /** From zero, which no place is above at first. */
    private long now() {
        return System.nanoTime() - begun;
    }

    private static int place(LockKey key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    /**
     * How to end a transaction.
     *
     * @param keys what it has locked; empty where that is not known
     * @param wanted whether somebody of this JVM wants them, asked when it is to end
     */
    public Ending.Choice choice(List<LockKey> keys, BooleanSupplier wanted) {
        EarlyRelease how = early;
        return how == null
                ? Ending.Choice.PLAIN
                : session -> how.ending(
                        session, wanted.getAsBoolean() || keys.stream().anyMatch(this::isRecent));
    }
}
