package org.rowlock.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a key in this JVM, in the order of arrival. An entry waits until it is <em>admitted</em>, and stays
 * admitted until it leaves. The <em>width</em> of the queue limits the number of exclusive entries that are admitted at
 * the same time. {@link QueuePolicy} determines the width. {@link Relief}, a lack of connections and {@link
 * QueueEntry#pass} admit entries beyond the width. Consecutive shared entries are all admitted together. When an entry
 * leaves, the queue admits the next entry at once, before the waiting thread wakes.
 *
 * <p>Thread-safe: the state of the queue is changed under one lock, but threads park without the lock.
 */
final class KeyQueue {
    /** The lock of all queues whose keys have the same hash. These queues share one policy. */
    final Object lock;

    final QueuePolicy policy;

    final Relief relief;
    final HoldTimes times = new HoldTimes(this);
    private final @Nullable Runnable parted;

    final List<QueueEntry> line = new ArrayList<>(0);

    /** How many entries the leaders have taken. Taken entries are not in {@code line}, but their threads wait. */
    int taken;

    /** Whether the last admitted entry that has left or taken members has taken members. */
    boolean grouped;

    /** The sum of {@link QueueEntry#row} over the admitted entries. */
    private long rows;

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
            return entry.state == EntryState.NEW
                    && line.isEmpty()
                    && (!alone || open || inside == 0)
                    && tryAdmit(entry);
        }
    }

    EntryState enter(QueueEntry entry, long mostNanos, int mostWaiting) {
        long start = System.nanoTime();
        line(entry, mostNanos, mostWaiting);
        boolean interrupted = false;
        while (entry.state == EntryState.WAITING || entry.state == EntryState.TAKEN) {
            if (entry.state == EntryState.TAKEN) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
                continue;
            }
            long left = mostNanos == Long.MAX_VALUE ? mostNanos : mostNanos - (System.nanoTime() - start);
            long most = Math.min(left, relief.untilMore());
            if (left <= 0 || interrupted || Thread.currentThread().isInterrupted()) {
                entry.wake();
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
            if (entry.state != EntryState.NEW || (line.isEmpty() && tryAdmit(entry))) {
                return;
            }
            if (mostNanos <= 0 || line.size() + taken >= mostWaiting) {
                entry.state = mostNanos <= 0 ? EntryState.OVER : EntryState.FULL;
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
    void insert(QueueEntry entry) {
        int at = line.size();
        while (at > 0 && line.get(at - 1).sinceNanos - entry.sinceNanos > 0) {
            at--;
        }
        line.add(at, entry);
        entry.state = EntryState.WAITING;
        admitNext();
    }

    void leave(QueueEntry entry) {
        boolean parts;
        List<QueueEntry> members;
        synchronized (lock) {
            members = entry.members;
            parts = entry.state != EntryState.LEFT;
            if (entry.state == EntryState.WAITING) {
                line.remove(entry);
            }
            taken -= entry.state == EntryState.TAKEN ? 1 : 0;
            if (!members.isEmpty()) {
                QueueGroup.endRemaining(members);
            }
            if (entry.state == EntryState.IN && entry.counted) {
                grouped = !members.isEmpty();
                long now = System.nanoTime();
                inside -= entry.shared ? 1 : -1;
                rows -= entry.row;
                if (relief.more > 0) {
                    relief.end(now);
                }
                times.left(entry, now);
            }
            entry.state = EntryState.LEFT;
            admitNext();
        }
        // The next entry is admitted already, so that it need not wait until all members have run.
        if (!members.isEmpty()) {
            QueueGroup.wake(entry, members);
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
            relief.widen((int) Math.max(0, -(long) inside - policy.width(false, line.size())), wideNanos);
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
        boolean room = entry.shared ? inside >= 0 : inside <= 0 && hasRoom(entry);
        if (room) {
            admit(entry);
        }
        return room;
    }

    private boolean hasRoom(QueueEntry entry) {
        int width = policy.width(isKept(), line.size());
        int most = grouped ? Math.min(QueueGroup.leaders(this, rows != -(long) inside * entry.row), width) : width;
        return -inside < (long) most + relief.more;
    }

    void admit(QueueEntry entry) {
        entry.counted = true;
        entry.inFront = Math.abs(inside);
        inside += entry.shared ? 1 : -1;
        rows += entry.row;
        entry.enters();
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
            return Math.max(0, Math.abs(inside) - (times.isHeld() ? 1 : 0));
        }
    }

    int waiting() {
        synchronized (lock) {
            return line.size();
        }
    }
}
