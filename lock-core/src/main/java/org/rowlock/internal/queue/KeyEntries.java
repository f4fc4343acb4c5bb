package org.rowlock.internal.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.QueueEntry.State;
import org.rowlock.internal.text.KeyNames;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.WaitNanos;

/**
 * The entries of one call in the queues of its keys, in the one order of all calls. {@link #leave} gives back all of
 * them, in whatever state the call is. A call that is nested in another one has no entries, and skips the queues.
 */
public final class KeyEntries {
    /**
     * The innermost call of each thread, whichever queues it is in. A thread that waits in any queue while it holds a
     * lock could deadlock.
     */
    private static final ThreadLocal<@Nullable KeyEntries> ENTERED = new ThreadLocal<>();

    public static final Comparator<String> SHORTER_FIRST =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private static final String FULL = " threads of this application wait for it already, which is the most that"
            + " RowLocks.builder(..).maxWaitersPerKey() (with Spring Boot rowlock.admission.max-waiters-per-key)"
            + " allows. Shed the load or try later.";

    private static final String OVER = "another thread of this application holds it or is before this one in the"
            + " admission queue, and the wait is over: ";

    private final Object database;
    private final LockRequest request;
    private final KeyNames names;
    private final @Nullable KeyEntries outer = ENTERED.get();
    private final Thread thread = Thread.currentThread();
    private final List<Stay> stays = new ArrayList<>(1);
    private boolean begun;
    private boolean closed;

    /** The place of a call in the queue of one key. */
    public record Stay(LockKey key, RowLockMode mode, QueueEntry entry) {}

    public KeyEntries(Object database, LockRequest request, KeyNames names) {
        this.database = database;
        this.request = request;
        this.names = names;
    }

    /** Returns the innermost call that this thread has not left, or null. */
    public static @Nullable KeyEntries entered() {
        return ENTERED.get();
    }

    /**
     * Records that the innermost call of this thread has its connection. Its wait for the pool says nothing about its
     * keys.
     */
    public static void begin() {
        KeyEntries entries = entered();
        if (entries != null && !entries.begun) {
            entries.begun = true;
            entries.stays.forEach(stay -> stay.entry().begin());
        }
    }

    /**
     * Records whether the call could get a connection. While none is available, callers skip the queue, so that they do
     * not wait for each other's timeouts.
     */
    public void open(boolean skipsWait) {
        // On another connection, such as after a group that was rolled back, the statement is sent anew.
        begun = false;
        stays.forEach(stay -> stay.entry().open(skipsWait));
    }

    /**
     * Returns the keys in the one order of all calls. Shorter texts come first, so that numbers are in the same order
     * as on the server. A call then queues on both sides in one order. It does not keep a place in one queue for long
     * while it waits in another.
     */
    public static List<LockKey> ordered(List<LockKey> keys) {
        if (keys.size() == 1) {
            return keys;
        }
        Map<String, LockKey> byText = new TreeMap<>(SHORTER_FIRST);
        keys.forEach(key -> byText.put(exactText(key), key));
        return List.copyOf(byText.values());
    }

    /**
     * Returns a text that distinguishes keys that look alike: row[a, b] of one column and of two, or a table called
     * name and a name.
     */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.table() + "[" + String.join("\0", row.id())
                : key.getClass().getSimpleName() + key;
    }

    /**
     * Whether the call is not nested in another one of its thread. A nested call skips the queues, because the thread
     * already has a database lock.
     */
    public boolean isOutermost() {
        return outer == null;
    }

    /**
     * Joins the queues, and enters none. Other threads inside may do the offered work; see {@link QueueEntry}. From now
     * on, the calls of this thread are nested in this one.
     */
    public void join(KeyQueues queues, @Nullable Object offer) {
        for (LockKey key : ordered(request.keys())) {
            RowLockMode mode = request.modeOf(key);
            // The database is part of the key, because an application may use several. It is in a list, because the
            // first hash of a record takes 10 ms.
            stays.add(new Stay(key, mode, queues.join(List.of(database, key), mode.isShared(), offer)));
        }
        ENTERED.set(this);
    }

    public Object database() {
        return database;
    }

    public Thread thread() {
        return thread;
    }

    /** Returns all entries. Other threads may read them once they are joined. */
    public List<Stay> stays() {
        return stays;
    }

    /**
     * Waits in the queue of one key after the other until each admits the call. The bound of the wait spans all of
     * them.
     */
    public void enterAll(LockWait wait, int mostWaiting) {
        long start = System.nanoTime();
        for (Stay stay : stays) {
            State state = enter(stay.entry(), WaitNanos.remaining(wait, start), mostWaiting);
            if (state == State.FULL) {
                throw notAvailable(stay.key(), mostWaiting + FULL);
            }
            if (state == State.OVER) {
                throw Thread.currentThread().isInterrupted()
                        ? interrupted(stay.key())
                        : notAvailable(stay.key(), OVER + wait + '.');
            }
        }
    }

    private static State enter(QueueEntry entry, LockWait left, int mostWaiting) {
        if (Thread.currentThread().isInterrupted()) {
            return State.OVER;
        }
        if (left.isNoWait()) {
            return entry.tryEnterFree() ? State.IN : State.OVER;
        }
        return entry.enter(WaitNanos.nanos(left), mostWaiting);
    }

    private LockInterruptedException interrupted(LockKey key) {
        String why = "The thread was interrupted in the admission queue of " + names.of(key)
                + ". It has left the queue; no connection was borrowed and nothing is locked.";
        return new LockInterruptedException(why, null, new InterruptedException());
    }

    private LockNotAvailableException notAvailable(LockKey key, String why) {
        String message =
                "Cannot lock " + names.of(key) + ": " + why + " No connection was borrowed and nothing is locked.";
        return new LockNotAvailableException(message, SqlState.LOCK_NOT_AVAILABLE, null);
    }

    /** Records that the server has locked keys, some of which may have entries here. */
    public void locked(List<LockKey> keys, boolean holds) {
        Collection<LockKey> locked = keys.size() == 1 ? keys : new HashSet<>(keys);
        for (Stay stay : stays) {
            if (locked.contains(stay.key())) {
                stay.entry().locked(holds);
            }
        }
    }

    public @Nullable QueueEntry entryOf(LockKey key) {
        for (Stay stay : stays) {
            if (stay.key().equals(key)) {
                return stay.entry();
            }
        }
        return null;
    }

    /**
     * Whether other transactions contend for one of the keys. If the call has no entry, this is unknown and the answer
     * is true.
     */
    public boolean isWanted() {
        for (Stay stay : stays) {
            if (stay.entry().isWanted()) {
                return true;
            }
        }
        return stays.isEmpty();
    }

    /**
     * Gives back all places. A second call does nothing.
     *
     * @throws IllegalMonitorStateException if called on a thread other than the one that entered
     */
    public void leave() {
        if (!thread.equals(Thread.currentThread())) {
            throw new IllegalMonitorStateException(
                    "The permit belongs to " + thread + "; close it on the thread that entered");
        }
        for (int i = stays.size() - 1; i >= 0; i--) {
            stays.get(i).entry().leave();
        }
        closed = true;
        KeyEntries open = ENTERED.get();
        while (open != null && open.closed) {
            open = open.outer;
        }
        ENTERED.set(open);
    }

    /**
     * Skips the queues, for a nested call. Its keys must not be keys that the thread has entered, in shared modes
     * either. A writer elsewhere that waits for the first connection would be in front of the second.
     *
     * @throws IllegalStateException if the thread has already entered the queue of one of the keys
     */
    public void pass() {
        for (KeyEntries held = outer; held != null; held = held.outer) {
            if (!held.closed && held.database.equals(database)) {
                Set<LockKey> theirs = Set.copyOf(held.request.keys());
                for (LockKey key : request.keys()) {
                    if (theirs.contains(key)) {
                        throw new IllegalStateException("This thread holds " + names.of(key) + " already in an outer"
                                + " transaction, and a second connection could wait for the first"
                                + " forever. Use the outer connection.");
                    }
                }
            }
        }
        ENTERED.set(this);
    }
}
