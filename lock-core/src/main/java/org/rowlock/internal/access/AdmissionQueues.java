package org.rowlock.internal.access;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.RowLocksBuilder;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyEntries.Entrant;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.Stack;
import org.rowlock.internal.value.RequestParts;

/**
 * The admission queues of the keys in this JVM. A call enters the queues of its keys before it borrows a connection. A
 * call that waits in a queue therefore holds no connection and no snapshot.
 *
 * <p>Calls for a key are admitted in the order of arrival: shared calls together, and exclusive calls {@linkplain
 * RowLocksBuilder#maxAdmittedPerKey a few} at a time. The queues only order the calls. Exclusion is guaranteed by the
 * lock in the database, which also excludes calls of other JVMs.
 *
 * <p>Only the outermost call of a thread queues. A nested call skips the queues, because the thread may hold a database
 * lock. Suppose that the thread waited in a queue for another thread, which waited at the server for this database
 * lock. The server could not detect that deadlock.
 *
 * <p>Thread-safe. The entries of a call belong to its thread. Platform and virtual threads are both supported.
 */
public record AdmissionQueues(KeyQueues queues, int maxWaitersPerKey, KnownTables tables, LockObserver observer) {
    /**
     * Enters the queues of a request's keys, and waits until all queues have admitted the call. All calls enter queues
     * in the same order, so the queues cause no deadlock.
     *
     * @param request the request; its wait, by default forever, bounds the sum of the waits in all queues
     * @return the entries; close them on this thread after the transaction has ended and its connection is returned
     * @throws LockNotAvailableException if a call with {@code noWait()} would have to wait, if the wait times out, or
     *     if the queue of a key is full
     * @throws LockInterruptedException if the thread is interrupted; its flag stays set
     * @throws IllegalStateException if an outer call of the thread has one of the keys, in any mode. The second
     *     connection of the thread could wait for its first connection
     */
    public KeyEntries enter(Object database, LockRequest request) {
        return enter(database, RequestParts.of(request), null);
    }

    /**
     * Enters the queues in the same way as {@link #enter(Object, LockRequest)}, and offers work to the threads in the
     * queues.
     *
     * @param offer work that the thread of another call may do for this call, or null; see {@link QueueEntry}
     */
    public KeyEntries enter(Object database, RequestParts request, @Nullable Object offer) {
        Arguments.notNull(database, "The database is null; give the DataSource");
        // A StackOverflowError must not occur while the call leaves the queues, so the stack for leaving is reserved
        // here.
        Stack.reserve(Stack.OF_QUEUE);
        KeyEntries entries = new KeyEntries(queues, database, request);
        if (!entries.isQueued()) {
            entries.skipQueues();
            return entries;
        }
        Begun begun = observer.begin(Kind.ADMISSION);
        Outcome outcome = Outcome.REFUSED;
        try {
            entries.join(offer);
            entries.enterAll(maxWaitersPerKey);
            outcome = Outcome.ADMITTED;
            return entries;
        } finally {
            if (outcome == Outcome.REFUSED) {
                entries.close();
            }
            if (begun != null) {
                List<LockKey> keys = RequestParts.ordered(request.keys());
                observer.end(begun, keys, request.mode(), tables.strategyOf(keys), request.lockWait(), outcome);
            }
        }
    }

    /** {@return the number of keys whose queues have waiting or admitted threads} */
    public int keysInUse() {
        return queues.keysInUse();
    }

    /**
     * {@return the calls that wait in the queues or were admitted; the call that has been waiting or admitted for the
     * longest time comes first} The entries may be out of date, because the calls continue meanwhile.
     */
    public List<Entrant> entrants() {
        return queues.entrants();
    }
}
