package org.rowlock.internal.observe;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/** The time a transaction holds its keys: tells of it at the end, if it ever began. Not thread-safe. */
public final class Hold {
    private final LockObserver observer;
    private final List<LockKey> keys;
    private final RowLockMode mode;
    private final LockStrategy strategy;
    private @Nullable LockHoldEvent event;
    private long startNanos;

    Hold(LockObserver observer, List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        this.observer = observer;
        this.keys = keys;
        this.mode = mode;
        this.strategy = strategy;
    }

    /** The locks are held. */
    public void begins() {
        LockHoldEvent begun = new LockHoldEvent();
        begun.begin();
        event = begun;
        startNanos = System.nanoTime();
    }

    /** The transaction is over. */
    public void ends(boolean committed) {
        LockHoldEvent begun = event;
        event = null;
        if (begun != null) {
            observer.endHold(begun, startNanos, keys, mode, strategy, committed);
        }
    }
}
