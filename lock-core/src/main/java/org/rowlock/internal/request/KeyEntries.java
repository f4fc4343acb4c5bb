package org.rowlock.internal.request;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueEntry.State;
import org.rowlock.internal.text.Exceptions;

/**
 * The entries of one call in the queues of its keys, in the one order of all calls. {@link #leave} gives back all of
 * them, however far the call has come.
 */
public final class KeyEntries implements KeyQueues.Entered {
    private static final Comparator<Ranked> ORDER = Comparator.comparingInt(
                    (Ranked ranked) -> ranked.text().length())
            .thenComparing(Ranked::text)
            .thenComparing(ranked -> exactText(ranked.key()));

    private final KeyNames names;
    private final List<Stay> stays = new ArrayList<>(1);

    /** A key with its text, which is made once and not at every comparison. */
    private record Ranked(LockKey key, String text) {}

    /** Where a call stands in the queue of one key. */
    public record Stay(LockKey key, RowLockMode mode, QueueEntry entry) {}

    public KeyEntries(KeyNames names) {
        this.names = names;
    }

    /**
     * The keys in one order for all calls. With the shorter text first it is that of numbers too, as on the server: a
     * call then queues on both sides in the same order, and holds no place in one queue for long while it waits in
     * another.
     */
    public static List<LockKey> ordered(List<LockKey> keys) {
        return keys.size() == 1
                ? keys
                : keys.stream()
                        .map(key -> new Ranked(key, key.toString()))
                        .sorted(ORDER)
                        .map(Ranked::key)
                        .toList();
    }

    /** Distinguishes keys that look alike: row[a, b] of one column and of two, or a table called name and a name. */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.id().stream().map(part -> part.length() + ":" + part).collect(Collectors.joining())
                : key.getClass().getSimpleName();
    }

    /**
     * Takes part in the queues, and enters none.
     *
     * @param place of a key, in one database
     * @param offer what a thread inside may do for this call: see {@link QueueEntry}; null for nothing
     */
    public void join(KeyQueues queues, LockRequest keys, Function<LockKey, Object> place, @Nullable Object offer) {
        for (LockKey key : ordered(keys.keys())) {
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
        long most = wait.nanos();
        for (Stay stay : stays) {
            long left = most == Long.MAX_VALUE ? most : most - (System.nanoTime() - start);
            State state = enter(stay.entry(), wait.isNoWait(), left, mostWaiting);
            if (state == State.FULL) {
                throw Exceptions.rejected("Cannot lock " + names.of(stay.key()) + ": " + mostWaiting
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
        return Exceptions.interrupted(
                "The thread was interrupted in the admission queue of " + names.of(key)
                        + ". It has left the queue; no connection was borrowed and nothing is locked.",
                new InterruptedException());
    }

    private LockNotAvailableException over(LockKey key, LockWait wait) {
        return Exceptions.notAvailable(
                "Cannot lock " + names.of(key)
                        + ": another thread of this application holds it or is before this one"
                        + " in the admission queue, and the wait (" + wait
                        + ") is over. No connection was borrowed"
                        + " and nothing is locked.",
                true,
                null);
    }

    /** The call has its connection: what it waited for the pool says nothing of its keys. */
    public void begin() {
        stays.forEach(stay -> stay.entry().begin());
    }

    @Override
    public @Nullable QueueEntry entryOf(LockKey key) {
        for (Stay stay : stays) {
            if (stay.key().equals(key)) {
                return stay.entry();
            }
        }
        return null;
    }

    /** Whether others want one of the keys; if there is no entry that is not known, and so any may. */
    public boolean isWanted() {
        for (Stay stay : stays) {
            if (stay.entry().isWanted()) {
                return true;
            }
        }
        return stays.isEmpty();
    }

    public void leave() {
        for (int i = stays.size() - 1; i >= 0; i--) {
            stays.get(i).entry().leave();
        }
    }
}
