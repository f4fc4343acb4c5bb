package org.rowlock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.observe.AdmissionEvent;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.Turnstile;
import org.rowlock.internal.request.KeyNames;

/**
 * The in-JVM queues in front of keys, entered before a connection is borrowed: threads that wait for a hot key wait
 * here, where they hold no connection, no snapshot and no place in the server's lock queue.
 *
 * <p>First come, first served per key; holders of shared modes go in together. Of exclusive ones the next is let in beside
 * the one who holds the lock, and waits for it at the server, so that the key is not free for a round trip whenever it
 * changes hands; and more than one where it is held for less than the next takes to come. The queues keep nobody out by
 * themselves: exclusion is the database lock's business, so it holds between instances too.
 *
 * <p>Only the outermost call of a thread queues. A call while the thread has a {@link Permit} passes at once, since it
 * has a database lock already, and waiting here for another thread that waits there would be a deadlock that the server
 * cannot see.
 *
 * <p>Thread-safe. A permit belongs to the thread that got it. Made for platform and virtual threads.
 */
public final class AdmissionQueues {
    /**
     * One order for all; with the shorter text first it is that of numbers too, as on the server. A call then queues on
     * both sides in the same order, and holds no place in one queue for long while it waits in another.
     */
    private static final Comparator<Ranked> ORDER = Comparator.comparingInt(
                    (Ranked ranked) -> ranked.text().length())
            .thenComparing(Ranked::text)
            .thenComparing(ranked -> exactText(ranked.key()));

    /** Of all queues, since a thread that waits here while it holds a lock of any of them could be in a deadlock. */
    private static final ThreadLocal<Permit> CURRENT = new ThreadLocal<>();

    /** 0 for a width that adapts. */
    private final int maxAdmittedPerKey;

    private final int maxWaitersPerKey;
    private final KeyNames names;
    private final LockObserver observer;
    private final ConcurrentMap<Place, Queue> queues = new ConcurrentHashMap<>();

    AdmissionQueues(int maxAdmittedPerKey, int maxWaitersPerKey, KeyNames names, LockObserver observer) {
        this.maxAdmittedPerKey = maxAdmittedPerKey;
        this.maxWaitersPerKey = maxWaitersPerKey;
        this.names = names;
        this.observer = observer;
    }

    /** A key with its text, which is made once and not at every comparison. */
    private record Ranked(LockKey key, String text) {}

    /** A key in one database, as one application may use several. */
    private record Place(Object database, LockKey key) {}

    /**
     * A thread in the queue of a key, or past it.
     *
     * @param database what tells databases apart, as it was given
     * @param key the key
     * @param mode how strongly it is to be locked
     * @param thread the name of the thread
     * @param isAdmitted whether it is past the queue, and not waiting in it
     * @param since how long it has been waiting, or past the queue
     */
    public record Entrant(
            Object database, LockKey key, RowLockMode mode, String thread, boolean isAdmitted, Duration since) {}

    /** What an entrant is told of. */
    private static final class Ticket {
        final Thread thread = Thread.currentThread();
        final RowLockMode mode;
        volatile long sinceNanos = System.nanoTime();
        volatile boolean admitted;

        Ticket(RowLockMode mode) {
            this.mode = mode;
        }

        void admit() {
            sinceNanos = System.nanoTime();
            admitted = true;
        }
    }

    /** A ticket of a permit, and what is to be given back for it: null where that has been done. */
    private record Held(Place place, Ticket ticket, Queue queue, Turnstile.@Nullable Entry entry) {}

    /** The queue of one key; exists while somebody is in it or has passed it. */
    private static final class Queue {
        final Set<Ticket> tickets = ConcurrentHashMap.newKeySet(1);
        final Turnstile turnstile;
        final AtomicInteger waiting = new AtomicInteger();
        /** Whether the last who was let in could get no connection: to wait for each other would only add up. */
        volatile boolean outage;
        /** Guarded by the map's bin: changes only inside compute. */
        int users;

        Queue(int admitted) {
            this.turnstile = admitted == 0 ? Turnstile.adaptive() : Turnstile.ofWidth(admitted);
        }
    }

    /**
     * Queues for the keys of a request. Several are entered one after the other in one order, so calls never deadlock here.
     *
     * @param database what tells databases apart: the DataSource
     * @param request what will be locked; its wait, by default forever, is that for all queues together
     * @return the permit; close it on this thread after the transaction has ended and its connection is returned
     * @throws LockNotAvailableException if the wait is none or runs out
     * @throws LockInterruptedException if the thread is interrupted; its flag stays set
     * @throws AdmissionRejectedException if the queue of a key is full
     * @throws IllegalArgumentException if an argument is null
     * @throws IllegalStateException if the thread has a permit for one of the keys already, in whatever mode: on a second
     *     connection it could wait for itself
     */
    public Permit enter(Object database, LockRequest request) {
        if (request == null) {
            throw new IllegalArgumentException("The request is null; make one with LockRequest.forUpdate(key)");
        }
        return enter(database, request, request.lockWait(LockWait.forever()));
    }

    private Permit enter(Object database, LockRequest keys, LockWait wait) {
        if (database == null) {
            throw new IllegalArgumentException("The database is null; give the DataSource");
        }
        List<LockKey> ordered = ordered(keys.keys());
        Permit outer = innermostOpen();
        if (outer != null) {
            outer.refuseToWaitForItself(database, ordered);
            return begin(new Permit(this, database, keys, outer));
        }
        AdmissionEvent event = observer.beginAdmission();
        long start = System.nanoTime();
        Permit permit = new Permit(this, database, keys, null);
        boolean admitted = false;
        try {
            for (LockKey key : ordered) {
                acquire(permit, new Place(database, key), wait, start);
            }
            admitted = true;
            return begin(permit);
        } finally {
            if (!admitted) {
                permit.close();
            }
            observer.endAdmission(event, start, ordered, keys.mode(), admitted);
        }
    }

    /** The permit of this thread. They may be closed in any order. */
    static @Nullable Permit innermostOpen() {
        Permit permit = CURRENT.get();
        while (permit != null && permit.closed) {
            permit = permit.outer;
        }
        return permit;
    }

    /** The call of this thread has its connection: what it waited for the pool says nothing of its keys. */
    static void begin() {
        Permit permit = innermostOpen();
        if (permit != null && !permit.begun) {
            permit.begun = true;
            for (Held each : permit.held) {
                if (each.entry() != null) {
                    each.entry().begin();
                }
            }
        }
    }

    private static Permit begin(Permit permit) {
        CURRENT.set(permit);
        return permit;
    }

    /**
     * How many keys have somebody in or past their queue.
     *
     * @return the number; 0 when nothing is going on
     */
    public int keysInUse() {
        return queues.size();
    }

    /**
     * Who is in the queues, or past them and in the database. A look at a moving crowd: each line is true of a moment.
     *
     * @return those that have been in their state for the longest first
     */
    public List<Entrant> entrants() {
        long now = System.nanoTime();
        List<Entrant> entrants = new ArrayList<>();
        queues.forEach((place, queue) -> {
            for (Ticket ticket : queue.tickets) {
                entrants.add(new Entrant(
                        place.database(),
                        place.key(),
                        ticket.mode,
                        ticket.thread.getName(),
                        ticket.admitted,
                        Duration.ofNanos(Math.max(0, now - ticket.sinceNanos))));
            }
        });
        entrants.sort(Comparator.comparing(Entrant::since).reversed());
        return entrants;
    }

    /** Tells keys apart that look alike: row[a, b] of one column and of two, or a table called name and a name. */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.id().stream().map(part -> part.length() + ":" + part).collect(Collectors.joining())
                : key.getClass().getSimpleName();
    }

    private static List<LockKey> ordered(List<LockKey> keys) {
        if (keys.size() == 1) {
            return keys;
        }
        return keys.stream()
                .map(key -> new Ranked(key, key.toString()))
                .sorted(ORDER)
                .map(Ranked::key)
                .toList();
    }

    private void acquire(Permit permit, Place place, LockWait wait, long start) {
        RowLockMode mode = permit.keys.modeOf(place.key());
        Ticket ticket = new Ticket(mode);
        Queue queue = join(place, ticket);
        Turnstile.Entry entry = null;
        try {
            entry = acquire(queue, mode, place.key(), wait, start);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "The thread was interrupted in the admission queue of "
                            + names.of(place.key())
                            + ". It has left the queue; no connection was borrowed and nothing is locked.",
                    e);
        } finally {
            if (entry == null) {
                leave(place, ticket);
            }
        }
        if (entry == null) {
            throw new LockNotAvailableException(
                    "Cannot lock " + names.of(place.key())
                            + ": another thread of this application holds it or is before this one"
                            + " in the admission queue, and the wait (" + wait + ") is over. No connection was borrowed"
                            + " and nothing is locked.",
                    true,
                    null);
        }
        ticket.admit();
        if (queue.outage) {
            // All try at once, as they would without a queue, until one has a connection.
            queue.turnstile.leaveUnused(entry);
            entry = null;
        }
        permit.held.push(new Held(place, ticket, queue, entry));
    }

    private Turnstile.@Nullable Entry acquire(Queue queue, RowLockMode mode, LockKey key, LockWait wait, long start)
            throws InterruptedException {
        if (wait instanceof LockWait.NoWait) {
            return queue.turnstile.tryEnterFree(mode.isShared());
        }
        Turnstile.Entry atOnce = queue.turnstile.tryEnter(mode.isShared());
        if (atOnce != null) {
            return atOnce;
        }
        if (queue.waiting.incrementAndGet() > maxWaitersPerKey) {
            queue.waiting.decrementAndGet();
            throw new AdmissionRejectedException(
                    "Cannot lock " + names.of(key) + ": " + maxWaitersPerKey + " threads of this"
                            + " application wait for it already, which is the most that RowLocks.builder().maxWaitersPerKey()"
                            + " allows. No connection was borrowed and nothing is locked; shed the load or try later.");
        }
        try {
            long left = wait instanceof LockWait.AtMost bound
                    ? bound.duration().toNanos() - (System.nanoTime() - start)
                    : Long.MAX_VALUE;
            return queue.turnstile.enter(mode.isShared(), left);
        } finally {
            queue.waiting.decrementAndGet();
        }
    }

    private Queue join(Place place, Ticket ticket) {
        return queues.compute(place, (key, present) -> {
            Queue queue = present == null ? new Queue(maxAdmittedPerKey) : present;
            queue.users++;
            queue.tickets.add(ticket);
            return queue;
        });
    }

    private void leave(Place place, Ticket ticket) {
        queues.computeIfPresent(place, (key, queue) -> {
            queue.tickets.remove(ticket);
            return --queue.users == 0 ? null : queue;
        });
    }

    /** The right to go on to the database. Close it, on the same thread, when the transaction has ended. */
    public static final class Permit implements AutoCloseable {
        private final AdmissionQueues owner;
        private final Object database;
        private final LockRequest keys;
        private final @Nullable Permit outer;
        /** Where nobody waits, in an outage, too: so that the queue lasts as long as somebody tries. */
        private final Deque<Held> held = new ArrayDeque<>(1);

        private final Thread thread = Thread.currentThread();
        private boolean begun;
        private boolean closed;

        private Permit(AdmissionQueues owner, Object database, LockRequest keys, @Nullable Permit outer) {
            this.owner = owner;
            this.database = database;
            this.keys = keys;
            this.outer = outer;
        }

        /**
         * Tells whether this call queued.
         *
         * @return false for a call within another one's permit, which passes at once
         */
        public boolean isQueued() {
            return outer == null;
        }

        LockRequest keys() {
            return keys;
        }

        /** Whether somebody else of this JVM waits for one of the keys, here or at the server. */
        boolean isWanted() {
            for (LockKey key : keys.keys()) {
                Queue queue = owner.queues.get(new Place(database, key));
                if (queue != null && queue.tickets.size() > 1) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Says whether a connection was to be had. As long as it was not, nobody waits in the queues of the keys: in an
         * outage those behind would serve one connection timeout after the other. Say it before {@link #close}.
         *
         * @param connected whether the call got its connection
         */
        public void connected(boolean connected) {
            for (LockKey key : keys.keys()) {
                Queue queue = owner.queues.get(new Place(database, key));
                if (queue != null && queue.outage == connected) {
                    queue.outage = !connected;
                }
            }
        }

        /**
         * Lets the next in. A second call does nothing.
         *
         * @throws IllegalMonitorStateException if called on another thread than the one that entered
         */
        @Override
        public void close() {
            if (!thread.equals(Thread.currentThread())) {
                throw new IllegalMonitorStateException(
                        "The permit belongs to " + thread + "; close it on the thread that entered");
            }
            while (!held.isEmpty()) {
                Held last = held.pop();
                if (last.entry() != null) {
                    last.queue().turnstile.leave(last.entry());
                }
                owner.leave(last.place(), last.ticket());
            }
            closed = true;
            Permit current = innermostOpen();
            if (current == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(current);
            }
        }

        /** In shared modes too: a writer elsewhere that waits for the first connection is in front of the second. */
        private void refuseToWaitForItself(Object otherDatabase, List<LockKey> others) {
            for (Permit permit = this; permit != null; permit = permit.outer) {
                if (!permit.closed && permit.database.equals(otherDatabase)) {
                    for (LockKey key : others) {
                        if (permit.keys.keys().contains(key)) {
                            throw new IllegalStateException(
                                    "This thread holds " + owner.names.of(key) + " already in an outer"
                                            + " transaction, and a second connection could wait for the first forever. Use the"
                                            + " outer connection.");
                        }
                    }
                }
            }
        }
    }
}
