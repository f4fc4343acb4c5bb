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
import org.rowlock.internal.text.Given;
import org.rowlock.internal.text.Stack;

/**
 * The in-JVM queues in front of keys, entered before a connection is borrowed: threads that wait for a hot key wait
 * here, where they hold no connection, no snapshot and no place in the server's lock queue.
 *
 * <p>First come, first served per key; holders of shared modes go in together, and of exclusive ones {@linkplain
 * RowLocksBuilder#maxAdmittedPerKey a few}. The queues exclude no thread by themselves. Exclusion is the task of
 * the database lock, so it holds between instances too.
 *
 * <p>Only the outermost call of a thread queues. A call while the thread has a {@link Permit} passes at once, because
 * it may hold a database lock already. If it waited here for a thread that waits at the server, the server could not
 * see the deadlock.
 *
 * <p>Thread-safe. A permit belongs to the thread that got it. Made for platform and virtual threads.
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
     * A thread in the queue of a key, or past it.
     *
     * @param database what distinguishes databases, as it was given
     * @param key the key
     * @param mode how strongly it is to be locked
     * @param thread the name of the thread
     * @param isAdmitted whether it is past the queue, and not waiting in it
     * @param since how long it has been waiting, or past the queue
     */
    public record Entrant(
            Object database, LockKey key, RowLockMode mode, String thread, boolean isAdmitted, Duration since) {}

    /**
     * Queues for the keys of a request. Several are entered one after the other in one order, so calls never deadlock
     * here.
     *
     * @param database what distinguishes databases: the DataSource
     * @param request what will be locked; its wait, by default forever, is that for all queues together
     * @return the permit; close it on this thread after the transaction has ended and its connection is returned
     * @throws LockNotAvailableException if the wait is none or runs out, or if the queue of a key is full
     * @throws LockInterruptedException if the thread is interrupted; its flag stays set
     * @throws IllegalStateException if the thread has a permit for one of the keys already, in whatever mode: on a
     *     second connection it could wait for itself
     */
    public Permit enter(Object database, LockRequest request) {
        return enter(database, request, request.lockWait(LockWait.forever()), null);
    }

    /**
     * The same with a wait in place of the request's, and with work that others inside may do: see {@link QueueEntry}.
     */
    public Permit enter(Object database, LockRequest request, LockWait wait, @Nullable Object offer) {
        Given.notNull(database, "The database is null; give the DataSource");
        // For the way out as well, which must not end halfway.
        Stack.reserve();
        KeyEntries entries = new KeyEntries(database, request, config.names());
        Permit permit = new Permit(this, entries);
        if (!entries.isOutermost()) {
            entries.pass();
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

    /** {@return how many keys have somebody in or past their queue} */
    public int keysInUse() {
        return queues.keysInUse();
    }

    /**
     * {@return the calls in the queues, or past them and in the database; the longest in their state first} A look at a
     * moving crowd: a line is true of a moment.
     */
    public List<Entrant> entrants() {
        return inside.stream()
                .flatMap(entries -> entries.stays().stream()
                        .filter(stay -> stay.entry().isThere())
                        .map(stay -> new Entrant(
                                entries.database(),
                                stay.key(),
                                stay.mode(),
                                entries.thread().getName(),
                                stay.entry().isIn(),
                                Duration.ofNanos(stay.entry().ageNanos()))))
                .sorted(Comparator.comparing(Entrant::since).reversed())
                .toList();
    }

    /** The right to go on to the database. Close it, on the same thread, when the transaction has ended. */
    public static final class Permit implements AutoCloseable {
        private final KeyEntries entries;
        private final AdmissionQueues owner;

        private Permit(AdmissionQueues owner, KeyEntries entries) {
            this.owner = owner;
            this.entries = entries;
        }

        /** {@return the entries of the call, in the queues of its keys} */
        public KeyEntries entries() {
            return entries;
        }

        /** {@return whether this call queued: false within another one's permit, which passes at once} */
        public boolean isQueued() {
            return entries.isOutermost();
        }

        /**
         * Says whether a connection was to be had. As long as it was not, nobody waits in the queues of the keys: in an
         * outage those behind would serve one connection timeout after the other. Say it before {@link #close}.
         *
         * @param connected whether the call got its connection
         */
        public void connected(boolean connected) {
            entries.open(!connected);
        }

        /**
         * Lets the next in. A second call does nothing.
         *
         * @throws IllegalMonitorStateException if called on another thread than the one that entered
         */
        @Override
        public void close() {
            entries.leave();
            owner.inside.remove(entries);
        }
    }
}
