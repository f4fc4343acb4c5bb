package org.rowlock.internal.commit;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRelease;

/** How transactions end, by what is configured and by whether others want their keys. Thread-safe. */
public final class Releases {
    private final @Nullable EarlyRelease early;
    private final RecentWaits waits = new RecentWaits(RecentWaits.RECENT_NANOS);

    public Releases(LockRelease release) {
        this.early = release == LockRelease.EARLY ? new EarlyRelease() : null;
    }

    /**
     * Keys are locked now.
     *
     * @param committed whether the time since then is that of the commit too
     * @param startNanos when that began
     */
    public void locked(List<LockKey> keys, boolean committed, long startNanos) {
        if (early != null) {
            waits.locked(keys.get(0).hashCode(), committed, System.nanoTime() - startNanos);
        }
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
                        session,
                        wanted.getAsBoolean() || keys.stream().anyMatch(key -> waits.isRecent(key.hashCode())));
    }
}
