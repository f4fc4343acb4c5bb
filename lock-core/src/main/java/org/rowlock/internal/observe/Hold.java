package org.rowlock.internal.observe;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/** The time a transaction holds its keys: reported at the end, if it ever began. Not thread-safe. */
public final class Hold {
    private final LockObserver observer;
    private final List<LockKey> keys;
    private final RowLockMode mode;
    private final LockStrategy strategy;
    private @Nullable LockHoldEvent event;
    private boolean held;
    private long startNanos;

    Hold(LockObserver observer, List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        this.observer = observer;
        this.keys = keys;
        this.mode = mode;
        this.strategy = strategy;
    }

    /** The locks are held. */
    public void begins() {
        event = LockObserver.begun(LockHoldEvent::new);
        held = true;
        startNanos = System.nanoTime();
    }

    /** The transaction is over. */
    public void ends(boolean committed) {
        if (held) {
            held = false;
            observer.endHold(event, startNanos, keys, mode, strategy, committed);
        }
    }
}
