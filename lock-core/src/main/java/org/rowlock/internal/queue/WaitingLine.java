package org.rowlock.internal.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry.Served;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The entries that wait, in the order of their arrival, and those that a holder has taken out of it. Used under the
 * queue's lock.
 */
final class WaitingLine {
    private final Deque<QueueEntry> waiting = new ArrayDeque<>(2);
    private long arrivals;
    private int taken;

    void add(QueueEntry entry) {
        entry.state = State.WAITING;
        entry.number = arrivals++;
        waiting.add(entry);
    }

    @Nullable
    QueueEntry first() {
        return waiting.peek();
    }

    void remove(QueueEntry entry) {
        waiting.remove(entry);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return waiting.size();
    }

    /** Whether a holder does the work of others. */
    boolean isTaken() {
        return taken > 0;
    }

    /** Those taken are threads that wait, too. */
    int sizeWithTaken() {
        return waiting.size() + taken;
    }

    List<QueueEntry> take(QueueEntry holder, int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        int joining = 0;
        for (QueueEntry next : waiting) {
            if (joining == most || next.shared || next.offer == null || !joins.test(next.offer)) {
                break;
            }
            joining++;
        }
        List<QueueEntry> members = new ArrayList<>();
        for (int left = rounded.applyAsInt(joining); left > 0; left--) {
            QueueEntry next = waiting.remove();
            next.state = State.TAKEN;
            taken++;
            members.add(next);
        }
        holder.members = new ArrayList<>(holder.members);
        holder.members.addAll(members);
        return members;
    }

    void serve(QueueEntry entry, Served served) {
        taken--;
        entry.served = served;
        entry.state = State.SERVED;
    }

    /** The holder is done, and they are not. */
    void putBackMembers(QueueEntry holder) {
        for (QueueEntry member : holder.members) {
            if (member.state == State.TAKEN) {
                putBack(member);
                LockSupport.unpark(member.thread);
            }
        }
    }

    /** In front of those who came later, not to be taken again; its own bound, and an interrupt, hold once it wakes. */
    void putBack(QueueEntry entry) {
        taken--;
        entry.offer = null;
        entry.state = State.WAITING;
        Deque<QueueEntry> earlier = new ArrayDeque<>();
        while (!waiting.isEmpty() && waiting.element().number < entry.number) {
            earlier.push(waiting.remove());
        }
        waiting.push(entry);
        earlier.forEach(waiting::push);
    }
}
