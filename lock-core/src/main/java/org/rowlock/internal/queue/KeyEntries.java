package org.rowlock.internal.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/**
 * The entries of one call in the admission queues of its keys. Calls for a key are admitted in the order of arrival:
 * shared calls together, and exclusive calls a few at a time. The queues only order the calls. Exclusion is guaranteed
 * by the lock in the database, which also excludes calls of other JVMs.
 *
 * <p>A nested call has no entries and skips the queues, because the thread may hold a database lock. Suppose that the
 * thread waited in a queue for another thread, which waited at the server for this database lock. The server could not
 * detect that deadlock. The thread of the call closes the entries when the transaction has ended.
 */
public final class KeyEntries implements AutoCloseable {
    private static final String FULL = " threads of this application wait for it already, and"
            + " RowLocks.builder(..).maxWaitersPerKey() (with Spring Boot rowlock.admission.max-waiters-per-key) allows"
            + " no more. Reduce the load, or try again later.";

    private static final String OVER = "another thread of this application holds it or is ahead of this thread in the"
            + " admission queue, and the wait is over: ";

    private final KeyQueues queues;
    private final Object database;
    private final RequestParts request;
    private final @Nullable KeyEntries outer = KeyQueues.entered();
    private final Thread thread = Thread.currentThread();
    private final List<Place> places = new ArrayList<>(1);
    private boolean begun;
    private boolean closed;

    private record Place(LockKey key, QueueEntry entry) {}

    /**
     * A thread that waits in the queue of a key, or that was admitted.
     *
     * @param since how long the thread has been waiting, or how long ago it was admitted
     */
    public record Entrant(
            Object database, LockKey key, RowLockMode mode, String thread, boolean isAdmitted, Duration since) {}

    public KeyEntries(KeyQueues queues, Object database, RequestParts request) {
        this.queues = queues;
        this.database = database;
        this.request = request;
    }

    /**
     * Records that the innermost call of this thread has its connection. The time until now was a wait for the pool,
     * and does not count as a wait for the keys.
     */
    public static void startServerWait() {
        KeyEntries entries = KeyQueues.entered();
        if (entries != null && !entries.begun) {
            entries.begun = true;
            entries.places.forEach(place -> place.entry().startServerWait());
        }
    }

    /**
     * Records whether a connection was obtained. After a failure, callers skip the queues of the keys until a caller
     * obtains a connection. If callers queued during an outage, each would wait for the connection timeouts of all
     * callers before it. Call this method before {@link #close}.
     */
    public void connected(boolean connected) {
        // The call may send its statement again on another connection, for example after a group was rolled back.
        begun = false;
        places.forEach(place -> place.entry().queue.open(!connected));
    }

    /** Whether this call enters queues; false for a nested call. */
    public boolean isQueued() {
        return outer == null;
    }

    /**
     * Creates the entries, but enters no queue. From now on, other calls of this thread are nested in this call.
     *
     * @param offer work that the thread of another entry may do; see {@link QueueEntry}
     */
    public void join(@Nullable Object offer) {
        for (LockKey key : RequestParts.ordered(request.keys())) {
            boolean shared = RequestParts.isShared(request.modeOf(key));
            // The map key is a list and not a record, because the first hashCode() of a record takes 10 ms.
            places.add(new Place(key, queues.join(List.of(database, key), shared, offer)));
        }
        KeyQueues.enter(this);
        queues.calls.add(this);
    }

    /** Returns the entries that wait or were admitted. Other threads may call this method after {@link #join}. */
    Stream<Entrant> entrants(long now) {
        return places.stream().filter(place -> place.entry().isThere()).map(place -> {
            LockKey key = place.key();
            Duration since = Duration.ofNanos(Math.max(0, now - place.entry().sinceNanos));
            return new Entrant(
                    database,
                    key,
                    request.modeOf(key),
                    thread.getName(),
                    place.entry().isIn(),
                    since);
        });
    }

    /** Waits in one queue after another, until all have admitted the call. The request limits the sum of the waits. */
    public void enterAll(int mostWaiting) {
        LockWait wait = request.lockWait();
        long start = System.nanoTime();
        for (Place place : places) {
            EntryState state = enter(place.entry(), wait.remaining(start), mostWaiting);
            if (state == EntryState.FULL) {
                throw notAvailable(place.key(), mostWaiting + FULL);
            }
            if (state == EntryState.OVER) {
                throw Thread.currentThread().isInterrupted()
                        ? interrupted(place.key())
                        : notAvailable(place.key(), OVER + wait + '.');
            }
        }
    }

    private static EntryState enter(QueueEntry entry, LockWait left, int mostWaiting) {
        if (Thread.currentThread().isInterrupted()) {
            return EntryState.OVER;
        }
        if (left.isNoWait()) {
            return entry.tryEnterFree() ? EntryState.IN : EntryState.OVER;
        }
        return entry.enter(left.nanos(), mostWaiting);
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

    /** Whether other transactions contend for a key. Always true for a nested call, which has no entries. */
    public boolean isWanted() {
        for (Place place : places) {
            if (place.entry().isWanted()) {
                return true;
            }
        }
        return places.isEmpty();
    }

    /**
     * Leaves all queues, so that they admit the next calls, and ends the call. A second invocation does nothing.
     *
     * @throws IllegalMonitorStateException if called on another thread than the thread of this call
     */
    @Override
    public void close() {
        if (!thread.equals(Thread.currentThread())) {
            throw new IllegalMonitorStateException(
                    "The call belongs to " + thread + "; leave its admission queues on that thread");
        }
        for (int i = places.size() - 1; i >= 0; i--) {
            places.get(i).entry().leave();
        }
        closed = true;
        KeyEntries open = KeyQueues.entered();
        while (open != null && open.closed) {
            open = open.outer;
        }
        KeyQueues.enter(open);
        queues.calls.remove(this);
    }

    /**
     * Begins a nested call, which skips the queues. Refuses the call if an outer call of this thread has one of the
     * same keys, because the thread would wait for itself. Shared modes are no exception: at the server, an exclusive
     * request of another transaction may wait for the outer call and block the nested call.
     *
     * @throws IllegalStateException if an outer call has one of the keys
     */
    public void skipQueues() {
        for (KeyEntries held = outer; held != null; held = held.outer) {
            if (!held.closed && held.database.equals(database)) {
                Set<LockKey> theirs = Set.copyOf(held.request.keys());
                for (LockKey key : request.keys()) {
                    if (theirs.contains(key)) {
                        throw new IllegalStateException("This thread holds " + key + " already in an outer transaction,"
                                + " and a second connection could wait for the first connection forever. Use the"
                                + " connection of the outer transaction.");
                    }
                }
            }
        }
        KeyQueues.enter(this);
    }
}
