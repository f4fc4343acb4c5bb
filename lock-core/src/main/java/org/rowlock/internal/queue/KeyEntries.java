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
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.queue.QueueEntry.State;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.WaitNanos;

/**
 * The entries of one call in the queues of its keys. All calls enter queues in the same order. {@link #leave} leaves
 * all queues, and may be called in any state. A nested call has no entries, and skips the queues.
 */
public final class KeyEntries {
    /**
     * The innermost call of each thread. The field is static, because a thread that waited in a queue of any {@link
     * KeyQueues} while it holds a lock could cause a deadlock.
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
    private final RequestParts request;
    private final @Nullable KeyEntries outer = ENTERED.get();
    private final Thread thread = Thread.currentThread();
    private final List<Place> places = new ArrayList<>(1);
    private boolean begun;
    private boolean closed;

    /** The entry of a call in the queue of one key. */
    public record Place(LockKey key, RowLockMode mode, QueueEntry entry) {}

    public KeyEntries(Object database, RequestParts request) {
        this.database = database;
        this.request = request;
    }

    /** Returns the innermost call that this thread has not left, or null. */
    public static @Nullable KeyEntries entered() {
        return ENTERED.get();
    }

    /**
     * Records that the innermost call of this thread has its connection. The time before is a wait for the pool, and
     * must not be counted as a wait for the keys.
     */
    public static void startServerWait() {
        KeyEntries entries = entered();
        if (entries != null && !entries.begun) {
            entries.begun = true;
            entries.places.forEach(place -> place.entry().startServerWait());
        }
    }

    /**
     * Records whether the call obtained a connection. While no connection is available, callers skip the queues.
     * Otherwise each caller would wait for the connection timeouts of all callers before it.
     */
    public void open(boolean skipsWait) {
        // The call may send its statement again on another connection, for example after a group was rolled back.
        begun = false;
        places.forEach(place -> place.entry().open(skipsWait));
    }

    /**
     * Returns the keys in the order in which all calls enter queues. Shorter texts come first, so that whole numbers
     * have the same order in the JVM as at the server, which orders them by value. A call then waits for its keys in
     * the same order in the JVM and at the server. Therefore the call does not block the queue of one key for long
     * while it waits for another key.
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
     * Returns a text that is different for different keys, unlike {@code toString()}. For example, a name has the same
     * {@code toString()} as a row of a table called "name".
     */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.table() + "[" + String.join("\0", row.id())
                : key.getClass().getSimpleName() + key;
    }

    /**
     * Whether the call is not nested. A nested call skips the queues, because its thread may already hold a database
     * lock.
     */
    public boolean isOutermost() {
        return outer == null;
    }

    /**
     * Creates the entries, but enters no queue. The thread of another entry may do the offered work; see {@link
     * QueueEntry}. From now on, other calls of this thread are nested in this call.
     */
    public void join(KeyQueues queues, @Nullable Object offer) {
        for (LockKey key : ordered(request.keys())) {
            RowLockMode mode = request.modeOf(key);
            // The key of the queue includes the database, because an application may use several databases. The key is
            // a list rather than a record, because the first hashCode() of a record takes 10 ms.
            places.add(new Place(key, mode, queues.join(List.of(database, key), RequestParts.isShared(mode), offer)));
        }
        ENTERED.set(this);
    }

    public Object database() {
        return database;
    }

    public Thread thread() {
        return thread;
    }

    /** Returns all entries. Other threads may read them after {@link #join}. */
    public List<Place> places() {
        return places;
    }

    /**
     * Waits in one queue after another, until all queues have admitted the call. The bound applies to the sum of these
     * waits.
     */
    public void enterAll(LockWait wait, int mostWaiting) {
        long start = System.nanoTime();
        for (Place place : places) {
            State state = enter(place.entry(), WaitNanos.remaining(wait, start), mostWaiting);
            if (state == State.FULL) {
                throw notAvailable(place.key(), mostWaiting + FULL);
            }
            if (state == State.OVER) {
                throw Thread.currentThread().isInterrupted()
                        ? interrupted(place.key())
                        : notAvailable(place.key(), OVER + wait + '.');
            }
        }
    }

    private static State enter(QueueEntry entry, LockWait left, int mostWaiting) {
        if (Thread.currentThread().isInterrupted()) {
            return State.OVER;
        }
        if (WaitNanos.isNoWait(left)) {
            return entry.tryEnterFree() ? State.IN : State.OVER;
        }
        return entry.enter(WaitNanos.nanos(left), mostWaiting);
    }

    private LockInterruptedException interrupted(LockKey key) {
        String why = "The thread was interrupted in the admission queue of " + key
                + ". It has left the queue; no connection was borrowed and nothing is locked.";
        return new LockInterruptedException(why, null, new InterruptedException());
    }

    private LockNotAvailableException notAvailable(LockKey key, String why) {
        String message = "Cannot lock " + key + ": " + why + " No connection was borrowed and nothing is locked.";
        return new LockNotAvailableException(message, SqlState.LOCK_NOT_AVAILABLE, null);
    }

    /** Records that the server has granted locks on keys. Keys without an entry in this call are ignored. */
    public void locked(List<LockKey> keys, boolean holds) {
        Collection<LockKey> locked = keys.size() == 1 ? keys : new HashSet<>(keys);
        for (Place place : places) {
            if (locked.contains(place.key())) {
                place.entry().locked(holds);
            }
        }
    }

    public @Nullable QueueEntry entryOf(LockKey key) {
        for (Place place : places) {
            if (place.key().equals(key)) {
                return place.entry();
            }
        }
        return null;
    }

    /**
     * Whether other transactions contend for one of the keys. Returns true if the call has no entry, because the answer
     * is then unknown.
     */
    public boolean isWanted() {
        for (Place place : places) {
            if (place.entry().isWanted()) {
                return true;
            }
        }
        return places.isEmpty();
    }

    /**
     * Leaves all queues. A second call does nothing.
     *
     * @throws IllegalMonitorStateException if called on a thread other than the one that entered
     */
    public void leave() {
        if (!thread.equals(Thread.currentThread())) {
            throw new IllegalMonitorStateException(
                    "The permit belongs to " + thread + "; close it on the thread that entered");
        }
        for (int i = places.size() - 1; i >= 0; i--) {
            places.get(i).entry().leave();
        }
        closed = true;
        KeyEntries open = ENTERED.get();
        while (open != null && open.closed) {
            open = open.outer;
        }
        ENTERED.set(open);
    }

    /**
     * Lets a nested call skip the queues, unless an outer call of this thread has entered the queue of one of the
     * nested call's keys. In that case another transaction may wait for the lock of the outer call, and the nested call
     * would wait for that transaction. This is so even if both modes are shared.
     *
     * @throws IllegalStateException if the thread has already entered the queue of one of the keys
     */
    public void skipQueues() {
        for (KeyEntries held = outer; held != null; held = held.outer) {
            if (!held.closed && held.database.equals(database)) {
                Set<LockKey> theirs = Set.copyOf(held.request.keys());
                for (LockKey key : request.keys()) {
                    if (theirs.contains(key)) {
                        throw new IllegalStateException("This thread holds " + key + " already in an outer"
                                + " transaction, and a second connection could wait for the first"
                                + " forever. Use the outer connection.");
                    }
                }
            }
        }
        ENTERED.set(this);
    }
}
