package org.rowlock.internal.commit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRelease;
import org.rowlock.internal.queue.RecentWaits;

/** How transactions end, by what is configured and by whether others want their keys. Thread-safe. */
public final class Releases {
    private final @Nullable EarlyRelease early;
    private final RecentWaits locking = new RecentWaits();
    private final RecentWaits lockingAndCommitting = new RecentWaits();

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
            (committed ? lockingAndCommitting : locking).locked(keys.get(0).hashCode(), System.nanoTime() - startNanos);
        }
    }

    /**
     * How to end a transaction.
     *
     * @param keys what it has locked; empty where that is not known
     * @param wanted whether somebody of this JVM wants them
     */
    public Ending.Choice choice(List<LockKey> keys, boolean wanted) {
        EarlyRelease how = early;
        if (how == null) {
            return Ending.Choice.PLAIN;
        }
        return session -> how.ending(session, wanted || isWaitedFor(keys));
    }

    private boolean isWaitedFor(List<LockKey> keys) {
        for (LockKey key : keys) {
            if (locking.isRecent(key.hashCode()) || lockingAndCommitting.isRecent(key.hashCode())) {
                return true;
            }
        }
        return false;
    }
}
