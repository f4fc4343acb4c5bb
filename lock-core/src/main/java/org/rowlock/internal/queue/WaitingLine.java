package org.rowlock.internal.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry.Served;
import org.rowlock.internal.queue.QueueEntry.State;

/**
 * The entries that wait, in the order of their arrival. Those that a holder has taken keep their place, and are passed
 * over. Used under the queue's lock.
 */
final class WaitingLine {
    private List<QueueEntry> all = List.of();
    private int taken;

    void add(QueueEntry entry) {
        if (all.isEmpty()) {
            all = new ArrayList<>();
        }
        all.add(entry);
        entry.state = State.WAITING;
    }

    @Nullable
    QueueEntry first() {
        for (QueueEntry each : all) {
            if (each.state == State.WAITING) {
                return each;
            }
        }
        return null;
    }

    void remove(QueueEntry entry) {
        if (!all.isEmpty() && all.remove(entry) && entry.state == State.TAKEN) {
            taken--;
        }
    }

    int size() {
        return all.size() - taken;
    }

    /** Those taken are threads that wait, too. */
    int sizeWithTaken() {
        return all.size();
    }

    boolean isEmpty() {
        return size() == 0;
    }

    /** Whether a holder does the work of others. */
    boolean isTaken() {
        return taken > 0;
    }

    List<QueueEntry> take(QueueEntry holder, int most, Predicate<Object> joins, IntUnaryOperator rounded) {
        List<QueueEntry> joining = new ArrayList<>();
        for (QueueEntry each : all) {
            if (each.state == State.WAITING) {
                if (joining.size() == most || each.shared || each.offer == null || !joins.test(each.offer)) {
                    break;
                }
                joining.add(each);
            }
        }
        List<QueueEntry> members = joining.subList(0, rounded.applyAsInt(joining.size()));
        for (QueueEntry member : members) {
            member.state = State.TAKEN;
            member.holder = holder;
            taken++;
        }
        return members;
    }

    /** Ends what a holder does for an entry; without an outcome the entry waits again, and is not taken again. */
    void end(QueueEntry entry, @Nullable Served served) {
        if (served == null) {
            taken--;
            entry.offer = null;
            entry.sent = false;
            entry.state = State.WAITING;
        } else {
            remove(entry);
            entry.served = served;
            entry.state = State.SERVED;
        }
        LockSupport.unpark(entry.thread);
    }

    /** A holder leaves. Those that it has not ended wait again, unless their work may be done. */
    void endAll(QueueEntry holder) {
        if (taken > 0) {
            for (QueueEntry each : List.copyOf(all)) {
                if (each.state == State.TAKEN && holder.equals(each.holder)) {
                    end(each, each.sent ? Served.UNKNOWN : null);
                }
            }
        }
    }
}
