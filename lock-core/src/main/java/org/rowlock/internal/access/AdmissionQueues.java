package org.rowlock.internal.access;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.RowLocksBuilder;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.LockConfig;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.Stack;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.WaitNanos;

/**
 * The admission queues of the keys in this JVM. A call enters the queues of its keys before it borrows a connection. A
 * waiting thread therefore holds no connection and no snapshot.
 *
 * <p>Calls for a key are admitted in the order of arrival. Shared modes are admitted together, and
 * {@linkplain RowLocksBuilder#maxAdmittedPerKey a few} exclusive calls at a time. The queues only order the calls.
 * Exclusion is guaranteed by the lock in the database, which also excludes calls of other JVMs.
 *
 * <p>Only the outermost call of a thread queues. If the thread already has a {@link Permit}, a nested call skips the
 * queues, because the thread may hold a database lock. Suppose that the thread waited in a queue for another thread,
 * which waited at the server for this database lock. The server could not detect that deadlock.
 *
 * <p>Thread-safe. A permit belongs to the thread that acquired it. Platform and virtual threads are both supported.
 */
public final class AdmissionQueues {
    private final int maxWaitersPerKey;
    private final LockConfig config;
    private final LockObserver observer;
    private final KeyQueues queues;
    private final Set<KeyEntries> inside = ConcurrentHashMap.newKeySet();

    public AdmissionQueues(KeyQueues queues, int maxWaitersPerKey, LockConfig config, LockObserver observer) {
        this.queues = queues;
        this.maxWaitersPerKey = maxWaitersPerKey;
        this.config = config;
        this.observer = observer;
    }

    /**
     * A thread that waits in the queue of a key, or that was admitted.
     *
     * @param since how long the thread has been waiting, or how long ago it was admitted
     */
    public record Entrant(
            Object database, LockKey key, RowLockMode mode, String thread, boolean isAdmitted, Duration since) {}

    /**
     * Enters the queues of a request's keys, and waits until all queues have admitted the call. All calls enter queues
     * in the same order, so the queues cause no deadlock.
     *
     * @param request the request; its wait, by default forever, bounds the sum of the waits in all queues
     * @return the permit; close it on this thread after the transaction has ended and its connection is returned
     * @throws LockNotAvailableException if a call with {@code noWait()} would have to wait, if the wait times out, or
     *     if the queue of a key is full
     * @throws LockInterruptedException if the thread is interrupted; its flag stays set
     * @throws IllegalStateException if the thread already has a permit for one of the keys, in any mode. The second
     *     connection of the thread could wait for its first connection
     */
    public Permit enter(Object database, LockRequest request) {
        RequestParts parts = RequestParts.of(request);
        return enter(database, parts, parts.lockWait(WaitNanos.FOREVER), null);
    }

    /**
     * Enters the queues in the same way, with a wait that replaces the wait of the request.
     *
     * @param offer work that the thread of another call may do; see {@link QueueEntry}
     */
    public Permit enter(Object database, RequestParts request, LockWait wait, @Nullable Object offer) {
        Arguments.notNull(database, "The database is null; give the DataSource");
        // A StackOverflowError must not occur while the call leaves the queues, so the stack for leaving is reserved
        // here.
        Stack.reserve(Stack.OF_QUEUE);
        KeyEntries entries = new KeyEntries(database, request);
        Permit permit = new Permit(this, entries);
        if (!entries.isOutermost()) {
            entries.skipQueues();
            return permit;
        }
        Begun begun = observer.begin(Kind.ADMISSION);
        Outcome outcome = Outcome.REFUSED;
        try {
            entries.join(queues, offer);
            inside.add(entries);
            entries.enterAll(wait, maxWaitersPerKey);
            outcome = Outcome.ADMITTED;
            return permit;
        } finally {
            if (outcome == Outcome.REFUSED) {
                permit.close();
            }
            if (begun != null) {
                List<LockKey> keys = KeyEntries.ordered(request.keys());
                observer.end(begun, keys, request.mode(), config.strategyOf(keys), wait, outcome);
            }
        }
    }

    /** {@return the number of keys whose queues have waiting or admitted threads} */
    public int keysInUse() {
        return queues.keysInUse();
    }

    /**
     * {@return the calls that wait in the queues or were admitted; the call that has been in its state for the longest
     * time comes first} The entries may be out of date, because the calls continue meanwhile.
     */
    public List<Entrant> entrants() {
        return inside.stream()
                .flatMap(entries -> entries.places().stream()
                        .filter(place -> place.entry().isThere())
                        .map(place -> new Entrant(
                                entries.database(),
                                place.key(),
                                place.mode(),
                                entries.thread().getName(),
                                place.entry().isIn(),
                                Duration.ofNanos(place.entry().ageNanos()))))
                .sorted(Comparator.comparing(Entrant::since).reversed())
                .toList();
    }

    /** The permission to use the database. Close the permit on the same thread when the transaction has ended. */
    public static final class Permit implements AutoCloseable {
        private final KeyEntries entries;
        private final AdmissionQueues owner;

        private Permit(AdmissionQueues owner, KeyEntries entries) {
            this.owner = owner;
            this.entries = entries;
        }

        public KeyEntries entries() {
            return entries;
        }

        /** {@return whether this call queued; false for a nested call, which skips the queues} */
        public boolean isQueued() {
            return entries.isOutermost();
        }

        /**
         * Reports whether a connection was obtained. After a failure, callers skip the queues of the keys until a
         * caller obtains a connection. If callers waited in an outage, each caller would wait for the connection
         * timeouts of all callers before it. Call this method before {@link #close}.
         */
        public void connected(boolean connected) {
            entries.open(!connected);
        }

        /** Leaves the queues, so that the next call is admitted. A second invocation does nothing. */
        @Override
        public void close() {
            entries.leave();
            owner.inside.remove(entries);
        }
    }
}
