package org.rowlock.internal.queue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry.Served;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The queue of a key in this JVM, first come, first served. As many transactions are inside at once as its policy says, or all
 * that share one after the other in the queue. More than one, so that the next already waits at the server when the holder
 * commits: else the key would be free for a round trip and more. A place that becomes free is given to the next entry before its
 * thread wakes, and no other thread is woken.
 *
 * <p>Two uses. A queue that is entered before a connection is borrowed <em>keeps</em> places until the transaction has ended, and
 * lets threads wait as long as they want. A queue that is entered with a connection in hand, by transactions that hold nothing,
 * gives the place back as soon as the server has answered: nothing is to be given back at a commit that cannot be seen. There
 * what a thread does not know of, such as a lock that it has by another connection, costs a bounded wait: after a time in which
 * nobody got the key one more may be in, after the same time again two more, then four, and the queue stays so wide for a while.
 * Never all at once: what keeps a JVM from the key may be the crowd of other JVMs at the server.
 *
 * <p>Thread-safe. All but the parking of threads happens under one lock.
 */
final class KeyQueue {
    /** That of the policy too, and so of all queues of one hash. */
    private final Object lock;

    private final QueuePolicy policy;

    /** Null where places are left at the answer. */
    private final @Nullable Runnable parted;

    private final Relief relief;

    private final WaitingLine waiting = new WaitingLine();

    /** Counts those who share upwards, and those who do not downwards. */
    private int inside;

    /** Whether nobody waits, as the last who was let in could get no connection: to wait for each other would only add up. */
    private volatile boolean open;

    private boolean frontsOff;
    private long frontsOffUntil;

    /** How many entries of a key are there, in whatever state; changes where {@link KeyQueues} finds the queue. */
    int users;

    /** A queue with a connection in hand. */
    KeyQueue(QueuePolicy policy, long longestNanos) {
        this.lock = new Object();
        this.policy = policy;
        this.parted = null;
        this.relief = new Relief(longestNanos);
    }

    /** A queue whose places are kept, beside one with a connection in hand whose lock and policy it has. */
    KeyQueue(KeyQueue beside, Runnable parted) {
        this.lock = beside.lock;
        this.policy = beside.policy;
        this.parted = parted;
        this.relief = new Relief(Long.MAX_VALUE);
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
            if (entry.state == State.NEW && !(waiting.isEmpty() && letIn(entry))) {
                if (mostNanos <= 0) {
                    entry.state = State.OVER;
                } else if (waiting.sizeWithTaken() >= mostWaiting) {
                    entry.state = State.FULL;
                } else {
                    queue(entry);
                }
            }
        }
    }

    private void queue(QueueEntry entry) {
        long now = System.nanoTime();
        if (waiting.isEmpty()) {
            relief.begin(now);
        }
        relief.end(now);
        waiting.add(entry);
        letInNext();
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
    void leave(QueueEntry entry, boolean got, boolean holds) {
        boolean parts;
        synchronized (lock) {
            parts = entry.state != State.LEFT;
            if (parts) {
                giveBack(entry, got, holds);
                entry.state = State.LEFT;
            }
        }
        if (parts && parted != null) {
            parted.run();
        }
    }

    private void giveBack(QueueEntry entry, boolean got, boolean holds) {
        waiting.putBackMembers(entry);
        if (entry.state == State.IN && entry.counted) {
            long now = System.nanoTime();
            inside -= side(entry);
            relief.end(now);
            if (got) {
                learn(entry, holds, now);
                relief.begin(now);
            }
            if (parted != null && !entry.shared) {
                policy.stayed(now - entry.sentNanos, !waiting.isEmpty());
                release(entry, now);
            }
        }
        letInNext();
    }

    private void learn(QueueEntry entry, boolean holds, long now) {
        long nanos = now - entry.sentNanos;
        if (holds) {
            entry.lockedNanos = now;
            // Where places are left at the answer, the holder is not among those inside.
            policy.waited(nanos, entry.inFront + (parted == null ? 1 : 0));
        } else {
            // Had and let go by the one statement, as by those in front of it.
            policy.held(nanos / (entry.inFront + 1));
        }
    }

    private void release(QueueEntry entry, long now) {
        if (entry.lockedNanos != 0) {
            policy.held(now - entry.lockedNanos);
            entry.lockedNanos = 0;
        }
    }

    /** The server has answered to an entry that stays inside. */
    void locked(QueueEntry entry, boolean holds) {
        synchronized (lock) {
            if (entry.state == State.IN && entry.counted && !entry.shared) {
                learn(entry, holds, System.nanoTime());
            }
        }
    }

    void released(QueueEntry entry) {
        synchronized (lock) {
            release(entry, System.nanoTime());
        }
    }

    boolean isWanted(QueueEntry entry) {
        synchronized (lock) {
            int others = wanting() - (entry.state == State.IN && entry.counted ? 1 : 0);
            return others > 0 || (parted == null && (entry.inFront > 0 || policy.isWantedElsewhere()));
        }
    }

    boolean fronts() {
        synchronized (lock) {
            frontsOff = frontsOff && frontsOffUntil - System.nanoTime() > 0;
            return !frontsOff && policy.fronts(wanting());
        }
    }

    void frontsNotFor(long nanos) {
        synchronized (lock) {
            frontsOff = true;
            frontsOffUntil = System.nanoTime() + nanos;
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

    List<QueueEntry> take(QueueEntry holder, int most, Predicate<Object> joins) {
        synchronized (lock) {
            if (holder.state != State.IN || holder.shared) {
                throw new IllegalStateException(
                        "The holder is " + holder.state + "; only one that is in alone takes others");
            }
            return waiting.take(holder, most, joins);
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
        return (long) policy.width(parted != null, waiting.size()) + relief.more();
    }

    private void count(QueueEntry entry) {
        entry.counted = true;
        entry.inFront = Math.abs(inside);
        inside += side(entry);
        enter(entry);
    }

    private static void enter(QueueEntry entry) {
        entry.sentNanos = System.nanoTime();
        entry.sinceNanos = entry.sentNanos;
        entry.state = State.IN;
    }

    private static int side(QueueEntry entry) {
        return entry.shared ? 1 : -1;
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
