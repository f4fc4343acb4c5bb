package org.rowlock.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry.Served;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The queue of a key in this JVM, in the order of arrival. An entry waits until it is <em>admitted</em>, and stays
 * admitted until it leaves. The <em>width</em> of the queue limits the number of exclusive entries that are admitted at
 * the same time. {@link QueuePolicy} determines the width. {@link Relief}, a lack of connections and {@link
 * QueueEntry#pass} admit entries beyond the width. Consecutive shared entries are all admitted together. When an entry
 * leaves, the queue admits the next entry at once, before the waiting thread wakes.
 *
 * <p>There are two kinds of queues. A call enters an <em>admission queue</em> before it borrows a connection, and
 * leaves the queue when its transaction has ended. A transaction enters a <em>{@code ROW} queue</em> after it has
 * borrowed its connection, and waits only if it holds no row lock. The transaction leaves the {@code ROW} queue when
 * the server has answered the lock statement, because Rowlock does not always notice the commit.
 *
 * <p>An admitted transaction may wait for a transaction outside the queue, for example for a second transaction of its
 * own thread. In a {@code ROW} queue, {@link Relief} limits how long all other entries then wait.
 *
 * <p>Thread-safe: the state of the queue is changed under one lock, but threads park without the lock.
 */
final class KeyQueue {
    /**
     * How many leaders of groups ({@link QueueEntry}) are admitted at a time. While the server runs the group of one
     * leader, the other leader waits at the server. With few leaders, groups are large and commits are few.
     */
    private static final int LEADERS = 2;

    /** The lock of all queues whose keys have the same hash. These queues share one policy. */
    final Object lock;

    final QueuePolicy policy;

    private final @Nullable Runnable parted;

    final Relief relief;

    private final List<QueueEntry> line = new ArrayList<>(0);

    /** How many entries the leaders have taken. Taken entries are not in {@code line}, but their threads wait. */
    private int taken;

    /** The total time for which past transactions of this JVM have held the key. */
    private long heldNanos;

    /** The time at which a transaction of this JVM last acquired the key; 0 if that transaction has ended. */
    private long heldSince;

    /** Whether Rowlock noticed the last release at once. If so, {@link #heldNanos(long)} includes the present hold. */
    private boolean noticesEnd;

    /** The number of admitted entries: positive if the entries are shared, negative if they are exclusive. */
    private int inside;

    /**
     * Whether entries are admitted at once, because the last call could not obtain a connection. If the entries waited,
     * each would wait for the connection timeouts of all entries before it.
     */
    private volatile boolean open;

    /** How many entries of an admission queue have not left. {@link KeyQueues} removes a queue without such entries. */
    int users;

    /** @param parted called after an entry has left; null for a {@code ROW} queue */
    KeyQueue(Object lock, QueuePolicy policy, Relief relief, @Nullable Runnable parted) {
        this.lock = lock;
        this.policy = policy;
        this.relief = relief;
        this.parted = parted;
    }

    boolean isKept() {
        return parted != null;
    }

    boolean tryEnter(QueueEntry entry, boolean alone) {
        synchronized (lock) {
            return entry.state == State.NEW && line.isEmpty() && (!alone || open || inside == 0) && tryAdmit(entry);
        }
    }

    State enter(QueueEntry entry, long mostNanos, int mostWaiting) {
        long start = System.nanoTime();
        line(entry, mostNanos, mostWaiting);
        boolean interrupted = false;
        while (entry.state == State.WAITING || entry.state == State.TAKEN) {
            if (entry.state == State.TAKEN) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
                continue;
            }
            long left = mostNanos == Long.MAX_VALUE ? mostNanos : mostNanos - (System.nanoTime() - start);
            long most = Math.min(left, relief.untilMore());
            if (left <= 0 || interrupted || Thread.currentThread().isInterrupted()) {
                giveUp(entry);
            } else if (most <= 0) {
                admitMore();
            } else if (most == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, most);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return entry.state;
    }

    private void line(QueueEntry entry, long mostNanos, int mostWaiting) {
        synchronized (lock) {
            if (entry.state != State.NEW || (line.isEmpty() && tryAdmit(entry))) {
                return;
            }
            if (mostNanos <= 0 || line.size() + taken >= mostWaiting) {
                entry.state = mostNanos <= 0 ? State.OVER : State.FULL;
                return;
            }
            long now = System.nanoTime();
            if (line.isEmpty()) {
                relief.begin(now);
            }
            relief.end(now);
            entry.sinceNanos = now;
            insert(entry);
        }
    }

    /** Inserts an entry at its position in the order of arrival, even if a leader has given the entry back. */
    private void insert(QueueEntry entry) {
        int at = line.size();
        while (at > 0 && line.get(at - 1).sinceNanos - entry.sinceNanos > 0) {
            at--;
        }
        line.add(at, entry);
        entry.state = State.WAITING;
        admitNext();
    }

    /**
     * Ends the wait of an entry, even before the wait begins. Returns false if the entry no longer waits in the queue.
     * If a leader has taken the entry, its wait ends when the leader gives the entry back.
     */
    boolean giveUp(QueueEntry entry) {
        synchronized (lock) {
            boolean gives = entry.state == State.NEW || entry.state == State.WAITING;
            entry.woken |= entry.state == State.TAKEN;
            if (gives) {
                line.remove(entry);
                entry.state = State.OVER;
                LockSupport.unpark(entry.thread);
                // If the removed entry was exclusive, shared entries after it may be admitted now.
                admitNext();
            }
            return gives;
        }
    }

    void leave(QueueEntry entry) {
        boolean parts;
        synchronized (lock) {
            parts = entry.state != State.LEFT;
            if (entry.state == State.WAITING) {
                line.remove(entry);
            }
            taken -= entry.state == State.TAKEN ? 1 : 0;
            for (QueueEntry member : entry.members) {
                if (member.state == State.TAKEN) {
                    // If the leader has not sent the work of a member, the member waits again.
                    end(member, member.sent ? Served.UNKNOWN : null);
                }
            }
            if (entry.state == State.IN && entry.counted) {
                long now = System.nanoTime();
                inside -= entry.shared ? 1 : -1;
                if (relief.more > 0) {
                    relief.end(now);
                }
                entry.placeLeft(now, !line.isEmpty());
            }
            entry.state = State.LEFT;
            admitNext();
        }
        if (parts && parted != null) {
            parted.run();
        }
    }

    void open(boolean skipsWait) {
        if (open != skipsWait) {
            synchronized (lock) {
                open = skipsWait;
                admitNext();
            }
        }
    }

    List<QueueEntry> take(QueueEntry holder, int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        synchronized (lock) {
            if (holder.state != State.IN || holder.shared) {
                throw new IllegalStateException("The state of the leader is " + holder.state
                        + "; only an entry that was admitted exclusively can lead a group");
            }
            int joining = 0;
            while (joining < Math.min(most, line.size()) && joins(line.get(joining), joins)) {
                joining++;
            }
            List<QueueEntry> first = line.subList(0, rounded.applyAsInt(joining));
            List<QueueEntry> members = List.copyOf(first);
            first.clear();
            taken += members.size();
            members.forEach(member -> member.state = State.TAKEN);
            holder.members =
                    Stream.concat(holder.members.stream(), members.stream()).toList();
            return members;
        }
    }

    private static boolean joins(QueueEntry entry, Predicate<Object> joins) {
        Object offer = entry.offer;
        return !entry.shared && offer != null && joins.test(offer);
    }

    /**
     * Ends a leader's work for an entry. If {@code served} is null, the entry waits again, without its offer, unless
     * its wait was ended meanwhile.
     */
    void end(QueueEntry entry, @Nullable Served served) {
        synchronized (lock) {
            if (entry.state != State.TAKEN) {
                throw new IllegalStateException("The state of the entry is " + entry.state + ", but only a member of a"
                        + " group can be ended");
            }
            taken--;
            if (served == null) {
                entry.offer = null;
                entry.sent = false;
                if (entry.woken) {
                    entry.state = State.OVER;
                    admitNext();
                } else {
                    insert(entry);
                }
            } else {
                entry.served = served;
                entry.state = State.SERVED;
            }
            LockSupport.unpark(entry.thread);
        }
    }

    void admitMore() {
        synchronized (lock) {
            if (!line.isEmpty() && relief.untilMore() <= 0) {
                widen(relief.wideNanos());
            }
        }
    }

    void widen(long wideNanos) {
        synchronized (lock) {
            // More entries than the width allows may already be admitted, because QueueEntry.pass() does not wait.
            long beyond = -(long) inside - policy.width(false, line.size());
            relief.widen((int) Math.max(0, beyond), wideNanos);
            admitNext();
        }
    }

    void admitNext() {
        while (!line.isEmpty() && tryAdmit(line.get(0))) {
            LockSupport.unpark(line.remove(0).thread);
        }
    }

    private boolean tryAdmit(QueueEntry entry) {
        if (open) {
            entry.enters();
            return true;
        }
        boolean room = entry.shared ? inside >= 0 : inside <= 0 && hasRoom();
        if (room) {
            admit(entry);
        }
        return room;
    }

    private boolean hasRoom() {
        int most = policy.width(isKept(), line.size());
        return -inside < (long) (taken > 0 ? Math.min(LEADERS, most) : most) + relief.more;
    }

    void admit(QueueEntry entry) {
        entry.counted = true;
        entry.inFront = Math.abs(inside);
        inside += entry.shared ? 1 : -1;
        entry.enters();
    }

    /** Returns the time for which transactions of this JVM have held the key until now, as far as it is known. */
    long heldNanos(long now) {
        return heldSince == 0 || !noticesEnd ? heldNanos : heldNanos + now - heldSince;
    }

    /** Records that a transaction of this JVM has acquired the key. The previous holder must therefore have ended. */
    void granted(long now) {
        heldNanos = heldNanos(now);
        heldSince = now;
    }

    /** Records that a transaction of this JVM has acquired the key, so the waiting transactions need no relief yet. */
    void moved(long now) {
        if (line.size() + taken > 0) {
            relief.begin(now);
        }
    }

    void released(long since, long now, boolean exact) {
        noticesEnd = exact;
        if (heldSince == since) {
            heldNanos = heldNanos(now);
            heldSince = 0;
        }
    }

    int wanting() {
        return Math.abs(inside) + line.size() + taken;
    }

    int inside() {
        synchronized (lock) {
            return Math.abs(inside);
        }
    }

    /** Returns the number of admitted entries, without the entry that holds the key. */
    int withoutHolder() {
        synchronized (lock) {
            return Math.max(0, Math.abs(inside) - (heldSince == 0 ? 0 : 1));
        }
    }

    int waiting() {
        synchronized (lock) {
            return line.size();
        }
    }
}
