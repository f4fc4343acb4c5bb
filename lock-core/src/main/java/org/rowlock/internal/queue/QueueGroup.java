package org.rowlock.internal.queue;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Groups in a queue. An entry may have an <em>offer</em>: work that the thread of an admitted entry, the
 * <em>leader</em>, can do for the waiting thread. A leader {@linkplain QueueEntry#take takes} entries from the head of
 * the queue. The thread of a taken entry ignores timeouts and interrupts while it waits. The leader {@linkplain
 * #complete completes} the entry with a value or an error, or {@linkplain #handBack gives the entry
 * back}. An entry that was given back waits at its former position, and no leader takes the entry again.
 *
 * <p>When the leader leaves, its remaining entries are given back. A remaining entry whose work was already {@linkplain
 * QueueEntry#sent sent} ends with an error instead, because the outcome is unknown.
 */
public final class QueueGroup {
    private QueueGroup() {}

    /**
     * Returns how many leaders may be admitted at a time. With few leaders, groups are large and commits are few. While
     * the server runs a group, a second leader waits at the server, but only if its group will be larger.
     *
     * @param isOther whether the next entry is for another row than the admitted entries
     */
    static int leaders(KeyQueue queue, boolean isOther) {
        boolean isLarger = queue.taken > 0 && queue.line.size() > queue.taken;
        return isLarger || isOther ? 2 : 1;
    }

    public record Served(@Nullable Object value, @Nullable Throwable failure) {
        /** This object is created in advance, because a leader that is out of memory could not create it. */
        static final Served UNKNOWN = new Served(
                null, new IllegalStateException("The leader of the group has left without an outcome for this entry"));
    }

    /**
     * Takes waiting entries from the head of the queue, in their order, up to the first entry that cannot join. No
     * entry is overtaken. An entry cannot join if it is shared, has no offer, or has an offer that the predicate
     * rejects. The leader must be admitted and exclusive.
     *
     * @param joins whether an offer may be taken; runs under the lock of the queue, and must be quick
     * @param rounded returns how many entries to take; the argument is the number of entries that can join
     */
    public static List<QueueEntry> take(
            QueueEntry leader, int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        KeyQueue queue = leader.queue;
        synchronized (queue.lock) {
            if (leader.state != EntryState.IN || leader.shared) {
                throw new IllegalStateException("The state of the leader is " + leader.state
                        + "; only an entry that was admitted exclusively can lead a group");
            }
            int joining = 0;
            while (joining < Math.min(most, queue.line.size()) && joins(queue.line.get(joining), joins)) {
                joining++;
            }
            List<QueueEntry> first = queue.line.subList(0, rounded.applyAsInt(joining));
            List<QueueEntry> members = List.copyOf(first);
            first.clear();
            queue.taken += members.size();
            queue.grouped = !members.isEmpty();
            members.forEach(member -> member.state = EntryState.TAKEN);
            leader.members =
                    Stream.concat(leader.members.stream(), members.stream()).toList();
            return members;
        }
    }

    private static boolean joins(QueueEntry entry, Predicate<Object> joins) {
        Object offer = entry.offer;
        return !entry.shared && offer != null && joins.test(offer);
    }

    /** Completes an entry. Its thread wakes when the leader leaves, so that the next leader is admitted first. */
    public static void complete(QueueEntry entry, @Nullable Object value) {
        end(entry, new Served(value, null));
    }

    public static void fail(QueueEntry entry, Throwable failure) {
        end(entry, new Served(null, failure));
    }

    /** Gives an entry back to its own thread. Timeouts and interrupts then end the wait of this thread again. */
    public static void handBack(QueueEntry entry) {
        end(entry, null);
    }

    /** Wakes the members of a leader that has left. */
    static void wake(QueueEntry leader, List<QueueEntry> members) {
        for (int i = 0; i < members.size(); i++) {
            LockSupport.unpark(members.get(i).thread);
        }
        // A second call of leave() must not wake these threads, because they may wait in a queue again.
        leader.members = List.of();
    }

    /** Ends the remaining entries of a leader. An entry whose work the leader has not sent waits again. */
    static void endRemaining(List<QueueEntry> members) {
        for (int i = 0; i < members.size(); i++) {
            QueueEntry member = members.get(i);
            if (member.state == EntryState.TAKEN) {
                end(member, member.sent ? Served.UNKNOWN : null);
            }
        }
    }

    /**
     * Ends a leader's work for an entry. If {@code served} is null, the entry waits again, without its offer, unless
     * its wait was ended meanwhile.
     */
    private static void end(QueueEntry entry, @Nullable Served served) {
        synchronized (entry.queue.lock) {
            if (entry.state != EntryState.TAKEN) {
                throw new IllegalStateException("The state of the entry is " + entry.state + ", but only a member of a"
                        + " group can be ended");
            }
            entry.queue.taken--;
            if (served == null) {
                entry.offer = null;
                entry.sent = false;
                if (entry.woken) {
                    entry.state = EntryState.OVER;
                    entry.queue.admitNext();
                } else {
                    entry.queue.insert(entry);
                }
            } else {
                entry.served = served;
                entry.state = EntryState.SERVED;
            }
        }
        if (served == null || served.failure() != null) {
            LockSupport.unpark(entry.thread);
        }
    }
}
