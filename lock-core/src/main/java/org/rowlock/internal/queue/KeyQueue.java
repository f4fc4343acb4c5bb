package org.rowlock.internal.queue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry.Served;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The queue of a key in this JVM, first come, first served. As many transactions are inside at once as its policy says,
 * or those that share and stand next to each other. A place that becomes free is the next entry's before its thread
 * wakes.
 *
 * <p>Two uses. A queue entered before a connection is borrowed <em>keeps</em> places until the transaction has ended. A
 * queue entered with a connection in hand, by a transaction that holds no row, gives the place back when the server has
 * answered: nothing is to be given back at a commit that nobody sees. There a wait for what the queue does not know of,
 * such as a lock of the same thread by another connection, is bounded by {@link Relief}.
 *
 * <p>Thread-safe: all but the parking of threads, and the leave of an entry that was served, happens under one lock.
 */
final class KeyQueue {
    /** How many lead groups: one is served, and one waits at the server. The larger the groups, the fewer commits. */
    private static final int LEADERS = 2;

    /** That of the policy too, and so of all queues of one hash. */
    private final Object lock;

    private final QueuePolicy policy;

    /** Null where places are left at the answer. */
    private final @Nullable Runnable parted;

    private final Relief relief;

    private final WaitingLine waiting = new WaitingLine();

    /** Counts those who share upwards, and those who do not downwards. */
    private int inside;

    /**
     * Whether nobody waits, as the last call admitted could get no connection: to wait for each other would only add
     * up.
     */
    private volatile boolean open;

    /** How many entries of a key are there, in whatever state; changes where {@link KeyQueues} finds the queue. */
    int users;

    private KeyQueue(Object lock, QueuePolicy policy, long longestNanos, @Nullable Runnable parted) {
        this.lock = lock;
        this.policy = policy;
        this.relief = new Relief(longestNanos);
        this.parted = parted;
    }

    /** A queue with a connection in hand. */
    KeyQueue(QueuePolicy policy, long longestNanos) {
        this(new Object(), policy, longestNanos, null);
    }

    /** A queue whose places are kept, beside one with a connection in hand whose lock and policy it has. */
    KeyQueue(KeyQueue beside, Runnable parted) {
        this(beside.lock, beside.policy, Long.MAX_VALUE, parted);
    }

    boolean tryEnter(QueueEntry entry, boolean alone) {
        synchronized (lock) {
            return entry.state == State.NEW && waiting.isEmpty() && (!alone || open || inside == 0) && letIn(entry);
        }
    }

    void pass(QueueEntry entry) {
        synchronized (lock) {
            count(entry);
        }
    }

    /** Lets an entry in, or queues it, or refuses it. */
    void enter(QueueEntry entry, long mostNanos, int mostWaiting) {
        synchronized (lock) {
            if (entry.state != State.NEW || (waiting.isEmpty() && letIn(entry))) {
                return;
            }
            if (mostNanos <= 0 || waiting.sizeWithTaken() >= mostWaiting) {
                entry.state = mostNanos <= 0 ? State.OVER : State.FULL;
                return;
            }
            long now = System.nanoTime();
            if (waiting.isEmpty()) {
                relief.begin(now);
            }
            relief.end(now);
            waiting.add(entry);
            letInNext();
        }
    }

    /** Ends a wait without a place, unless the entry was let in or taken at the last moment. */
    boolean giveUp(QueueEntry entry) {
        synchronized (lock) {
            boolean gives = entry.state == State.NEW || entry.state == State.WAITING;
            if (gives) {
                entry.state = State.OVER;
                waiting.remove(entry);
                // Those behind may share with those who are in.
                letInNext();
            }
            return gives;
        }
    }

    /** Gives back what an entry has, whatever its state. */
    void leave(QueueEntry entry) {
        boolean parts;
        if (entry.state == State.SERVED) {
            // All of a group leave at once, and none of them has anything of the queue.
            parts = true;
            entry.state = State.LEFT;
        } else {
            synchronized (lock) {
                parts = entry.state != State.LEFT;
                giveBack(entry);
                entry.state = State.LEFT;
            }
        }
        if (parts && parted != null) {
            parted.run();
        }
    }

    private void giveBack(QueueEntry entry) {
        waiting.putBackMembers(entry);
        if (entry.state == State.IN && entry.counted) {
            long now = System.nanoTime();
            inside -= entry.side();
            relief.end(now);
            if (parted != null && !entry.shared) {
                policy.stayed(now - entry.sentNanos, !waiting.isEmpty());
                release(entry, now, true);
            }
        }
        letInNext();
    }

    private void release(QueueEntry entry, long now, boolean exact) {
        if (entry.lockedNanos != 0) {
            policy.held(now - entry.lockedNanos, exact);
            entry.lockedNanos = 0;
        }
    }

    /** The server has answered. */
    void locked(QueueEntry entry, boolean holds) {
        synchronized (lock) {
            if (entry.state != State.IN || !entry.counted || entry.shared) {
                return;
            }
            long now = System.nanoTime();
            long nanos = now - entry.sentNanos;
            relief.begin(now);
            if (holds) {
                entry.lockedNanos = now;
                // Where places are left at the answer, the holder is not among those inside.
                int own = entry.inFront + (parted == null ? 1 : 0);
                Front front = entry.front;
                if (front == null) {
                    policy.waited(nanos, own);
                } else {
                    policy.waitedInFront(nanos, own, front.waitedNanos);
                }
            } else {
                // Had and let go by the one statement, as by those in front of it.
                policy.held(nanos / (entry.inFront + 1), true);
            }
        }
    }

    void released(QueueEntry entry, boolean exact) {
        synchronized (lock) {
            release(entry, System.nanoTime(), exact);
        }
    }

    boolean isWanted(QueueEntry entry) {
        synchronized (lock) {
            int others = wanting() - (entry.state == State.IN && entry.counted ? 1 : 0);
            return others > 0 || (parted == null && (entry.inFront > 0 || policy.isWantedElsewhere()));
        }
    }

    @Nullable
    Front front(QueueEntry entry, boolean always) {
        synchronized (lock) {
            boolean may = entry.state == State.IN && entry.counted && !entry.shared;
            long most = may ? policy.frontNanos(always) : 0;
            return most == 0 ? null : new Front(entry, most, !always && policy.isFrontTimed());
        }
    }

    void frontGivenUp(QueueEntry entry) {
        synchronized (lock) {
            policy.frontGivenUp(System.nanoTime() - entry.sentNanos);
        }
    }

    /** As long as no connection is to be had, nobody waits for another. */
    void open(boolean nobodyWaits) {
        if (open != nobodyWaits) {
            synchronized (lock) {
                open = nobodyWaits;
                letInNext();
            }
        }
    }

    List<QueueEntry> take(QueueEntry holder, int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        synchronized (lock) {
            if (holder.state != State.IN || holder.shared) {
                throw new IllegalStateException(
                        "The holder is " + holder.state + "; only one that is in alone takes others");
            }
            return waiting.take(holder, most, joins, rounded);
        }
    }

    /** Ends what a holder does for an entry; without an outcome the entry is put back. */
    void end(QueueEntry entry, @Nullable Served served) {
        synchronized (lock) {
            if (entry.state != State.TAKEN) {
                throw new IllegalStateException("The entry is " + entry.state + ", and not taken");
            }
            if (served != null) {
                waiting.serve(entry, served);
            } else {
                waiting.putBack(entry);
                letInNext();
            }
        }
        LockSupport.unpark(entry.thread);
    }

    /** How long a thread of this queue may be parked; beyond that it is to call {@link #letInMore}. */
    long untilMore() {
        return relief.untilMore();
    }

    /** Becomes wider, unless another waiter has just seen to it. */
    void letInMore() {
        synchronized (lock) {
            if (relief.untilMore() <= 0) {
                widen(relief.wideNanos());
            }
        }
    }

    void widen(long wideNanos) {
        synchronized (lock) {
            // Beyond those who are in, some of whom did not ask.
            relief.widen(-inside - policy.width(false, waiting.size()), wideNanos);
            letInNext();
        }
    }

    private void letInNext() {
        QueueEntry next = waiting.first();
        while (next != null && letIn(next)) {
            waiting.remove(next);
            LockSupport.unpark(next.thread);
            next = waiting.first();
        }
    }

    private boolean letIn(QueueEntry entry) {
        if (open) {
            enter(entry);
            return true;
        }
        boolean room = entry.shared ? inside >= 0 : inside <= 0 && -inside < width();
        if (room) {
            count(entry);
        }
        return room;
    }

    private long width() {
        int most = policy.width(parted != null, waiting.size());
        return (long) (waiting.isTaken() ? Math.min(LEADERS, most) : most) + relief.more();
    }

    private void count(QueueEntry entry) {
        entry.counted = true;
        entry.inFront = Math.abs(inside);
        inside += entry.side();
        enter(entry);
    }

    private static void enter(QueueEntry entry) {
        entry.sentNanos = System.nanoTime();
        entry.sinceNanos = entry.sentNanos;
        entry.state = State.IN;
    }

    int wanting() {
        synchronized (lock) {
            return Math.abs(inside) + waiting.sizeWithTaken();
        }
    }

    int inside() {
        synchronized (lock) {
            return Math.abs(inside);
        }
    }

    int waiting() {
        synchronized (lock) {
            return waiting.size();
        }
    }
}
