package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.QueueEntry.State;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.TestDatabase;

/** What a holder does for those who wait behind it. */
class GroupTest {
    private static final Object KEY = "key";
    private static final long FOREVER = Long.MAX_VALUE;

    private final KeyQueues queues = FixedWidth.queues(1);
    private final List<Member> members = new ArrayList<>();
    private QueueEntry holder;

    /** A thread that waits, and leaves when its wait has ended. */
    private final class Member {
        final FutureTask<State> task;
        final Thread thread;
        volatile @Nullable QueueEntry entry;
        volatile @Nullable Object value;
        volatile boolean interrupted;

        Member(boolean shared, @Nullable Object offer, long mostNanos) {
            task = new FutureTask<>(() -> {
                QueueEntry mine = queues.join(KEY, shared, offer);
                entry = mine;
                try {
                    State state = mine.enter(mostNanos, Integer.MAX_VALUE);
                    QueueEntry.Served served = mine.served();
                    value = served == null ? null : served.failure() == null ? served.value() : served.failure();
                    return state;
                } finally {
                    interrupted = Thread.interrupted();
                    mine.leave();
                }
            });
            thread = new Thread(task);
            thread.start();
            members.add(this);
        }

        State end() throws Exception {
            return TestDatabase.result(task);
        }
    }

    @BeforeEach
    void oneIsIn() {
        holder = queues.join(KEY, false, null);
        assertThat(holder.tryEnter()).isTrue();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        holder.leave();
        for (Member member : members) {
            member.end();
        }
        assertThat(queues.keysInUse()).isZero();
    }

    private Member waiting(boolean shared, @Nullable Object offer, long mostNanos) {
        int before = holder.queue.waiting();
        Member member = new Member(shared, offer, mostNanos);
        TestDatabase.await().until(() -> holder.queue.waiting() == before + 1);
        return member;
    }

    private Member waiting(Object offer) {
        return waiting(false, offer, FOREVER);
    }

    private static List<Object> offers(List<QueueEntry> entries) {
        return entries.stream().map(QueueEntry::offer).map(Object.class::cast).toList();
    }

    @Test
    void nobodyIsOvertaken() {
        waiting("a");
        waiting("other");
        waiting("a");
        assertThat(offers(holder.take(9, "a"::equals))).containsExactly("a");
        assertThat(holder.take(9, "a"::equals)).isEmpty();
        waiting(true, "a", FOREVER);
        assertThat(offers(holder.take(9, offer -> true))).containsExactly("other", "a");
        waiting(false, null, FOREVER);
        assertThat(holder.take(9, offer -> true)).isEmpty();
    }

    @Test
    void onlyOneInsideTakesOthers() {
        waiting("a");
        assertThatThrownBy(() -> members.get(0).entry.take(1, offer -> true)).isInstanceOf(IllegalStateException.class);
        holder.leave();
        assertThatThrownBy(() -> holder.take(1, offer -> true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInterruptThatCameMeanwhileCountsWhenItIsHandedBack() throws Exception {
        Member member = waiting("a");
        QueueEntry taken = holder.take(1, offer -> true).get(0);
        member.thread.interrupt();
        taken.handBack();
        assertThat(member.end()).isEqualTo(State.OVER);
        assertThat(member.interrupted).isTrue();
    }

    /** They are threads that wait, too. */
    @Test
    void thoseTakenCountAgainstTheMostThatWait() {
        waiting("a");
        holder.take(1, offer -> true);
        QueueEntry next = queues.join(KEY, false, null);
        assertThat(next.enter(FOREVER, 1)).isEqualTo(State.FULL);
        next.leave();
    }
}
