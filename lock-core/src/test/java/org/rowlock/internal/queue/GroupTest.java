package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.testing.TestDatabase;

/** What a holder does for those who wait behind it. */
class GroupTest {
    private static final Object KEY = "key";
    private static final int ROW = 7;
    private static final long FOREVER = Long.MAX_VALUE;

    private final AtomicInteger width = new AtomicInteger(1);
    private final KeyQueues queues = new KeyQueues(() -> (kept, waiting) -> width.get());
    private final List<Member> members = new ArrayList<>();
    private QueueEntry holder;

    /** A thread that waits, and leaves when its wait has ended. */
    private final class Member {
        final FutureTask<EntryState> task;
        final Thread thread;
        volatile @Nullable QueueEntry entry;
        volatile @Nullable Object value;
        volatile boolean interrupted;

        Member(boolean shared, @Nullable Object offer, long mostNanos) {
            task = new FutureTask<>(() -> {
                QueueEntry mine = queues.join(KEY, shared, offer);
                entry = mine;
                try {
                    EntryState state = mine.enter(mostNanos, Integer.MAX_VALUE);
                    QueueGroup.Served served = mine.served();
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

        EntryState end() throws Exception {
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
    void eachHasAnOutcomeOfItsOwn() throws Exception {
        Member one = waiting("a");
        Member two = waiting("b");
        Member three = waiting("c");
        List<QueueEntry> taken = holder.take(2, offer -> true);
        assertThat(offers(taken)).containsExactly("a", "b");
        assertThat(one.thread.isAlive()).isTrue();

        Exception failure = new Exception("b is not to be");
        QueueGroup.fail(taken.get(1), failure);
        assertThat(two.end()).isEqualTo(EntryState.SERVED);
        assertThat(two.value).isSameAs(failure);
        QueueGroup.complete(taken.get(0), "done");
        assertThat(three.task.isDone()).isFalse();
        holder.leave();
        assertThat(one.end()).isEqualTo(EntryState.SERVED);
        assertThat(one.value).isEqualTo("done");
        assertThat(three.end()).isEqualTo(EntryState.IN);
        assertThatThrownBy(() -> QueueGroup.complete(taken.get(0), "again")).isInstanceOf(IllegalStateException.class);
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
    void oneThatIsTakenWaitsWhateverComes() throws Exception {
        Member member = waiting("a");
        QueueEntry taken = holder.take(1, offer -> true).get(0);
        member.thread.interrupt();
        // It has seen the interrupt, and waits on.
        TestDatabase.await()
                .until(() -> !member.thread.isInterrupted() && member.thread.getState() == Thread.State.WAITING);
        assertThat(taken.wake()).isFalse();
        QueueGroup.complete(taken, 1);
        holder.leave();
        assertThat(member.end()).isEqualTo(EntryState.SERVED);
        assertThat(member.interrupted).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatIsNotTakenLeaves(boolean interrupt) throws Exception {
        Member member = interrupt ? waiting("a") : new Member(false, "a", 1);
        if (interrupt) {
            member.thread.interrupt();
        }
        assertThat(member.end()).isEqualTo(EntryState.OVER);
        assertThat(holder.take(1, offer -> true)).isEmpty();
    }

    @Test
    void thoseHandedBackGoInAloneInTheOrderOfTheirArrival() throws Exception {
        Member one = waiting("a");
        Member two = waiting("b");
        Member three = waiting("c");
        List<QueueEntry> taken = holder.take(2, offer -> true);
        QueueGroup.handBack(taken.get(1));
        QueueGroup.handBack(taken.get(0));
        assertThat(holder.take(9, offer -> true)).isEmpty();
        assertThat(holder.queue.waiting()).isEqualTo(3);
        assertThat(List.of(one.task.isDone(), two.task.isDone(), three.task.isDone()))
                .containsOnly(false);
        holder.leave();
        for (Member member : members) {
            assertThat(member.end()).isEqualTo(EntryState.IN);
        }
    }

    @Test
    void anInterruptThatCameMeanwhileCountsWhenItIsHandedBack() throws Exception {
        Member member = waiting("a");
        QueueEntry taken = holder.take(1, offer -> true).get(0);
        member.thread.interrupt();
        QueueGroup.handBack(taken);
        assertThat(member.end()).isEqualTo(EntryState.OVER);
        assertThat(member.interrupted).isTrue();
    }

    /** Such as one whose connection was lost. */
    @Test
    void aHolderThatLeavesHandsBackWhatItHasNotDone() throws Exception {
        Member one = waiting("a");
        Member two = waiting("b");
        QueueGroup.complete(holder.take(2, offer -> true).get(0), 1);
        holder.leave();
        assertThat(one.end()).isEqualTo(EntryState.SERVED);
        assertThat(two.end()).isEqualTo(EntryState.IN);
    }

    @Test
    void whatAHolderHasSentAndNotEndedEndsWithAnErrorWhenItLeaves() throws Exception {
        Member one = waiting("a");
        Member two = waiting("b");
        holder.take(2, offer -> true).forEach(QueueEntry::sent);
        holder.leave();
        for (Member member : List.of(one, two)) {
            assertThat(member.end()).isEqualTo(EntryState.SERVED);
            assertThat(member.value).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void theNextLeaderEntersBeforeTheMembersWake() {
        Member member = waiting("a");
        QueueEntry taken = holder.take(1, offer -> true).get(0);
        QueueEntry next = queues.join(KEY, false, null);
        QueueGroup.complete(taken, "done");
        assertThat(next.tryEnter()).isFalse();
        // The thread stays parked, although its entry has an outcome.
        assertThat(member.thread.getState()).isEqualTo(Thread.State.WAITING);
        holder.leave();
        assertThat(next.tryEnter()).isTrue();
        next.leave();
        // To leave again wakes nobody, as the threads may wait elsewhere.
        assertThat(holder.members).isEmpty();
    }

    @Test
    void aSecondLeaderEntersOnlyForALargerGroup() throws Exception {
        waiting("a");
        waiting("b");
        Member second = waiting("c");
        holder.take(2, offer -> true);
        width.set(3);
        // Two wait, and two are taken.
        waiting("d");
        new Member(false, "e", FOREVER);
        assertThat(second.end()).isEqualTo(EntryState.IN);
    }

    /** Rows with the same hash share a queue. */
    @Test
    void anotherRowDoesNotWaitForAGroup() throws Exception {
        int other = ROW + (1 << 12);
        QueueEntry leader = queues.entry(ROW, null);
        assertThat(leader.tryEnter()).isTrue();
        FutureTask<EntryState> member = new FutureTask<>(() -> {
            QueueEntry mine = queues.entry(ROW, "a");
            return mine.enter(FOREVER, Integer.MAX_VALUE);
        });
        new Thread(member).start();
        TestDatabase.await().until(() -> leader.queue.waiting() == 1);
        QueueEntry taken = leader.take(1, offer -> true).get(0);
        width.set(3);

        QueueEntry same = queues.entry(ROW, null);
        QueueEntry free = queues.entry(other, null);
        assertThat(free.queue).isSameAs(leader.queue);
        assertThat(same.tryEnter()).isFalse();
        assertThat(free.tryEnter()).isTrue();
        QueueGroup.complete(taken, "done");
        leader.leave();
        assertThat(TestDatabase.result(member)).isEqualTo(EntryState.SERVED);
        // The other row's entry does not block the row of the group either.
        assertThat(same.tryEnter()).isTrue();
        same.leave();
        free.leave();
    }

    /** They are threads that wait, too. */
    @Test
    void thoseTakenCountAgainstTheMostThatWait() {
        waiting("a");
        holder.take(1, offer -> true);
        QueueEntry next = queues.join(KEY, false, null);
        assertThat(next.enter(FOREVER, 1)).isEqualTo(EntryState.FULL);
        next.leave();
    }
}
