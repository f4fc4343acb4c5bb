package org.rowlock.internal.request;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.AdmissionRejectedException;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The entries of one call in the queues of its keys, in the one order of all calls. {@link #leave} gives back all of them, however
 * far the call has come.
 */
public final class KeyEntries implements KeyQueues.Entered {
    private final KeyNames names;
    private final List<Stay> stays = new ArrayList<>(1);

    /** Where a call stands in the queue of one key. */
    public record Stay(LockKey key, RowLockMode mode, QueueEntry entry) {}

    public KeyEntries(KeyNames names) {
        this.names = names;
    }

    /**
     * Takes part in the queues, and enters none.
     *
     * @param place of a key, in one database
     * @param offer what a thread inside may do for this call: see {@link QueueEntry}; null for nothing
     */
    public void join(KeyQueues queues, KeyModes keys, Function<LockKey, Object> place, @Nullable Object offer) {
        for (LockKey key : keys.ordered()) {
            RowLockMode mode = keys.modeOf(key);
            stays.add(new Stay(key, mode, queues.join(place.apply(key), mode.isShared(), offer)));
        }
    }

    /** All of them; may be read by other threads once they are joined. */
    public List<Stay> stays() {
        return stays;
    }

    /** Enters one after the other. */
    public void enter(LockWait wait, int mostWaiting) {
        long start = System.nanoTime();
        long most = Waits.atMostNanos(wait);
        for (Stay stay : stays) {
            long left = most == Long.MAX_VALUE ? most : most - (System.nanoTime() - start);
            State state = enter(stay.entry(), wait instanceof LockWait.NoWait, left, mostWaiting);
            if (state == State.FULL) {
                throw new AdmissionRejectedException("Cannot lock " + names.of(stay.key()) + ": " + mostWaiting
                        + " threads of this application wait for it already, which is the most that"
                        + " RowLocks.builder().maxWaitersPerKey() allows. No connection was borrowed and nothing is"
                        + " locked; shed the load or try later.");
            }
            if (state == State.OVER) {
                throw Thread.currentThread().isInterrupted() ? interrupted(stay.key()) : over(stay.key(), wait);
            }
        }
    }

    private static State enter(QueueEntry entry, boolean noWait, long mostNanos, int mostWaiting) {
        if (Thread.currentThread().isInterrupted()) {
            return State.OVER;
        }
        if (noWait) {
            return entry.tryEnterFree() ? State.IN : State.OVER;
        }
        return entry.enter(mostNanos, mostWaiting);
    }

    private LockInterruptedException interrupted(LockKey key) {
        return new LockInterruptedException(
                "The thread was interrupted in the admission queue of " + names.of(key)
                        + ". It has left the queue; no connection was borrowed and nothing is locked.",
                new InterruptedException());
    }

    private LockNotAvailableException over(LockKey key, LockWait wait) {
        return new LockNotAvailableException(
                "Cannot lock " + names.of(key) + ": another thread of this application holds it or is before this one"
                        + " in the admission queue, and the wait (" + wait + ") is over. No connection was borrowed"
                        + " and nothing is locked.",
                true,
                null);
    }

    /** The call has its connection: what it waited for the pool says nothing of its keys. */
    public void begin() {
        stays.forEach(stay -> stay.entry().begin());
    }

    @Override
    public void locked(List<LockKey> keys, boolean holds) {
        for (Stay stay : stays) {
            if (keys.contains(stay.key())) {
                stay.entry().locked(holds);
            }
        }
    }

    @Override
    public boolean fronts(LockKey key) {
        return stays.stream()
                .anyMatch(stay -> stay.key().equals(key) && stay.entry().fronts());
    }

    public void leave() {
        for (int i = stays.size() - 1; i >= 0; i--) {
            stays.get(i).entry().leave();
        }
    }
}
