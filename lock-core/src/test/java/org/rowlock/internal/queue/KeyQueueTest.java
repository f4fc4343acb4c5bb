package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.internal.queue.QueuePolicy.Question;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** Whom a queue lets in, when, and what ends a wait: by threads, without a server. */
class KeyQueueTest {
    private static final Object KEY = "key";
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private static final long MOST = DEADLINE.toNanos();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final KeyQueues queues = FixedWidth.queues(1, MOST);
    private final QueueEntry holder = queues.entry(1, null);
    private final QueueEntry entry = queues.entry(1, null);

    /** As wide as it is told; holds from the next who leaves on. */
    private static final class Told implements QueuePolicy {
        private volatile int next;
        private int now;

        Told(int now) {
            this.now = now;
            this.next = now;
        }

        @Override
        public int width(boolean kept, int waiting) {
            return now;
        }

        @Override
        public void placeLeft(long nanos, boolean crowded) {
            now = next;
        }
    }

    /** A question takes a round trip, so it is asked for those whom a front lock would delay. */
    @Test
    void theServerIsAskedForATransactionBesideOthers() {
        List<Object> contended = new ArrayList<>();
        KeyQueues asking = new KeyQueues(() -> new FixedWidth(3, 0) {
            @Override
            public Question asks(int wanting, boolean grouped) {
                contended.addAll(List.of(wanting, grouped));
                return Question.OTHER_JVMS;
            }
        });
        QueueEntry first = asking.entry(1, null);
        QueueEntry second = asking.entry(1, null);
        QueueEntry grouped = asking.entry(1, "offer");
        assertThat(first.tryEnter()).isTrue();
        assertThat(first.asks(false)).isEqualTo(Question.OTHER_JVMS);
        assertThat(second.tryEnter()).isTrue();
        assertThat(second.asks(false)).isEqualTo(Question.OTHER_JVMS);
        assertThat(grouped.tryEnter()).isTrue();
        assertThat(grouped.asks(false)).isEqualTo(Question.OTHER_JVMS);
        assertThat(contended).containsExactly(1, false, 2, false, 3, true);
    }

    @Test
    void theWaitersOfThisJvmAreSubtractedFromTheAnswer() {
        List<Integer> answers = new ArrayList<>();
        KeyQueues asking = new KeyQueues(() -> new FixedWidth(3, 0) {
            @Override
            public void answered(Question question, int answer) {
                answers.add(answer);
            }
        });
        QueueEntry row = asking.entry(1, null);
        QueueEntry admitted = asking.join("key", false, null);
        QueueEntry next = asking.join("key", false, null);
        for (QueueEntry each : List.of(row, admitted, next)) {
            assertThat(each.tryEnter()).isTrue();
        }
        assertThat(asking.atServer()).isEqualTo(3);
        admitted.locked(true);
        assertThat(asking.atServer()).as("without the holder").isEqualTo(2);
        asking.ask(row, Question.OTHER_JVMS, sql -> "7");
        asking.ask(row, Question.OTHER_JVMS, sql -> "1");
        asking.ask(row, Question.WITHOUT_ROWLOCK, sql -> "7");
        for (KeyQueues.Count none : List.<KeyQueues.Count>of(sql -> "", sql -> "one", sql -> {
            throw new SQLException("no");
        })) {
            asking.ask(row, Question.OTHER_JVMS, none);
        }
        assertThat(answers).containsExactly(5, 0, 7, -1, -1, -1);
        admitted.leave();
        next.locked(true);
        next.leave();
        row.leave();
        assertThat(asking.atServer()).isZero();
    }

    @Test
    void aQueueThatNeverFrontsNeverAsks() {
        KeyQueues adaptive = KeyQueues.adaptive(0);
        QueueEntry never = adaptive.entry(1, null);
        assertThat(never.tryEnter()).isTrue();
        assertThat(adaptive.entry(1, null).tryEnter()).isTrue();
        for (int i = 0; i < 20; i++) {
            never.queue.policy.held(TimeUnit.MILLISECONDS.toNanos(1), true);
            never.queue.policy.waited(TimeUnit.SECONDS.toNanos(1), 1, 0, -1);
            assertThat(never.asks(false)).isNull();
            assertThat(never.front(LockFront.NEVER)).isNull();
        }
        assertThat(never.front(LockFront.ADAPTIVE)).isNull();
        assertThat(never.asks(false)).isEqualTo(Question.OTHER_JVMS);
    }

    /** What came before it had its connection was a wait for the pool. */
    @Test
    void aStayBeginsWithTheConnection() throws Exception {
        AtomicLong stayed = new AtomicLong();
        Crossing crossing = new Crossing(new FixedWidth(1, 0) {
            @Override
            public void placeLeft(long nanos, boolean crowded) {
                stayed.set(nanos);
            }
        });
        QueueEntry entry = enter(crossing, false);
        long entered = System.nanoTime();
        while (System.nanoTime() - entered < TimeUnit.MILLISECONDS.toNanos(2)) {
            Thread.onSpinWait();
        }
        long connected = System.nanoTime();
        entry.startServerWait();
        entry.leave();
        assertThat(stayed.get()).isBetween(0L, System.nanoTime() - connected);
    }

    /** The next has the lock before the commit of the last is heard of. */
    @Test
    void theHoldsOfThisJvmAreTheirPartOfAWait() {
        List<Long> waits = new ArrayList<>();
        List<Long> own = new ArrayList<>();
        KeyQueue queue = new KeyQueue(
                new Object(),
                new FixedWidth(2, 0) {
                    @Override
                    public void waited(long nanos, int holds, long ownNanos, long keyNanos) {
                        waits.add(nanos);
                        own.add(ownNanos);
                    }
                },
                new Relief(MOST),
                null);
        QueueEntry first = granted(queue);
        first.released(true);
        QueueEntry second = granted(queue);
        QueueEntry third = granted(queue);
        second.released(true);
        third.released(false);
        granted(queue);
        granted(queue);
        assertThat(own).containsExactly(0L, 0L, waits.get(2), 0L, 0L);
    }

    private static QueueEntry granted(KeyQueue queue) {
        QueueEntry entry = new QueueEntry(queue, 0, false, null);
        assertThat(entry.tryEnter()).isTrue();
        entry.endServerWait(true, true);
        return entry;
    }

    @Test
    void sharedEntriesInAQueueWithoutABoundDoNotCloseIt() {
        long wide = TimeUnit.MINUTES.toNanos(1);
        KeyQueue queue = new KeyQueue(new Object(), new FixedWidth(Integer.MAX_VALUE, 0), new Relief(wide), null);
        List<QueueEntry> shared = List.of(new QueueEntry(queue, 0, true, null), new QueueEntry(queue, 0, true, null));
        assertThat(shared).allMatch(QueueEntry::tryEnter);
        queue.widen(wide);
        assertThat(queue.relief.more).isOne();
        shared.forEach(QueueEntry::leave);
        assertThat(new QueueEntry(queue, 0, false, null).tryEnter()).isTrue();
    }

    /** One key's queue. */
    private static final class Crossing {
        private final KeyQueues queues;

        Crossing(QueuePolicy policy) {
            queues = new KeyQueues(() -> policy);
        }

        @Nullable
        QueueEntry tryEnter(boolean shared) {
            return enter(shared, QueueEntry::tryEnter);
        }

        @Nullable
        QueueEntry tryEnterFree(boolean shared) {
            return enter(shared, QueueEntry::tryEnterFree);
        }

        @Nullable
        QueueEntry enter(boolean shared, long mostNanos) {
            return enter(shared, entry -> entry.enter(mostNanos, Integer.MAX_VALUE) == EntryState.IN);
        }

        private @Nullable QueueEntry enter(boolean shared, Predicate<QueueEntry> entering) {
            QueueEntry entry = queues.join(KEY, shared, null);
            if (entering.test(entry)) {
                return entry;
            }
            entry.leave();
            return null;
        }

        /** There while somebody is; how many wait in it. */
        int waiting() {
            QueueEntry look = queues.join(KEY, false, null);
            int waiting = look.queue.waiting();
            look.leave();
            return waiting;
        }
    }

    @AfterEach
    void endThreads() throws Exception {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    private static EntryState enter(QueueEntry entry, long mostNanos) {
        return entry.enter(mostNanos, Integer.MAX_VALUE);
    }

    private static QueueEntry enter(Crossing crossing, boolean shared) throws InterruptedException {
        QueueEntry entry = crossing.tryEnter(shared);
        assertThat(entry).isNotNull();
        return entry;
    }

    /** In the queue, behind those who were there before. */
    private Future<QueueEntry> queue(Crossing crossing, boolean shared) {
        int before = crossing.waiting();
        Future<QueueEntry> entering = threads.submit(() -> crossing.enter(shared, Long.MAX_VALUE));
        TestDatabase.await().until(() -> crossing.waiting() == before + 1);
        return entering;
    }

    private static QueueEntry get(Future<QueueEntry> entering) throws Exception {
        QueueEntry entry = entering.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(entry).isNotNull();
        return entry;
    }

    @Test
    void aPlaceIsTheNextOnesBeforeHeWakes() throws Exception {
        Crossing crossing = new Crossing(new FixedWidth(1, 0));
        QueueEntry holder = enter(crossing, false);
        Future<QueueEntry> next = queue(crossing, false);
        Future<QueueEntry> last = queue(crossing, false);

        holder.leave();
        assertThat(crossing.waiting()).isOne();
        assertThat(crossing.tryEnter(false)).isNull();
        get(next).leave();
        get(last).leave();
        assertThat(crossing.tryEnterFree(false)).isNotNull();
    }

    @Test
    void aWidthThatGrowsLetsThoseInWhoWaitAlready() throws Exception {
        Told width = new Told(1);
        Crossing crossing = new Crossing(width);
        QueueEntry holder = enter(crossing, false);
        List<Future<QueueEntry>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(queue(crossing, false));
        }

        width.next = 3;
        holder.leave();
        for (Future<QueueEntry> each : waiting.subList(0, 3)) {
            get(each);
        }
        assertThat(crossing.waiting()).isOne();
        get(waiting.get(0)).leave();
        get(waiting.get(3));
    }

    @Test
    void aWidthThatShrinksLetsNobodyInUntilSoManyHaveLeft() throws Exception {
        Told width = new Told(3);
        Crossing crossing = new Crossing(width);
        List<QueueEntry> inside = List.of(enter(crossing, false), enter(crossing, false), enter(crossing, false));
        Future<QueueEntry> next = queue(crossing, false);

        width.next = 1;
        inside.get(0).leave();
        inside.get(1).leave();
        assertThat(crossing.waiting()).isOne();
        inside.get(2).leave();
        get(next);
    }

    /** In an outage each tries at once, as without a queue. */
    @Test
    void whereNobodyWaitsAllAreInWithoutAPlaceAndTeachNothing() throws Exception {
        Told width = new Told(1);
        Crossing crossing = new Crossing(width);
        QueueEntry holder = enter(crossing, false);
        Future<QueueEntry> waiting = queue(crossing, false);
        holder.queue.open(true);
        QueueEntry first = get(waiting);
        QueueEntry second = enter(crossing, true);
        assertThat(holder.queue.wanting()).isOne();
        holder.queue.open(false);
        width.next = 2;
        first.leave();
        second.leave();
        assertThat(crossing.tryEnter(false)).isNull();
        holder.leave();
        enter(crossing, false);
        enter(crossing, false);
    }

    /** Those who share and those who do not never meet, no more are in than may be, and everybody has his turns. */
    @Test
    void nobodyStarvesHoweverTheWidthChanges() throws Exception {
        int most = 5;
        Random widths = new Random(1);
        Crossing crossing = new Crossing(new QueuePolicy() {
            private int now = 1;

            @Override
            public int width(boolean kept, int waiting) {
                return now;
            }

            @Override
            public void placeLeft(long nanos, boolean crowded) {
                now = 1 + widths.nextInt(most);
            }
        });
        AtomicInteger alone = new AtomicInteger();
        AtomicInteger sharing = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<Integer> turns = Threads.query(12, number -> {
            Random random = new Random(number);
            int had = 0;
            for (int turn = 0; turn < 500; turn++) {
                boolean shared = random.nextInt(3) == 0;
                long bound = random.nextInt(4) == 0 ? 1 + random.nextInt(100_000) : Long.MAX_VALUE;
                QueueEntry entry = crossing.enter(shared, bound);
                if (entry == null) {
                    wrong.addAndGet(bound == Long.MAX_VALUE ? 1 : 0);
                    continue;
                }
                int inside = (shared ? sharing : alone).incrementAndGet();
                wrong.addAndGet(shared ? alone.get() : sharing.get() + Math.max(0, inside - most));
                Thread.yield();
                (shared ? sharing : alone).decrementAndGet();
                entry.leave();
                had++;
            }
            return had;
        });
        assertThat(turns).allMatch(had -> had > 0);
        assertThat(wrong).hasValue(0);
        assertThat(crossing.waiting()).isZero();
        assertThat(crossing.tryEnterFree(false)).isNotNull();
    }

    /** As by a cancel that comes between the statement and its wait. */
    @Test
    void aWakeBeforeTheWaitEndsIt() {
        assertThat(holder.tryEnter()).isTrue();
        assertThat(entry.wake()).isTrue();
        assertThat(enter(entry, MOST)).isEqualTo(EntryState.OVER);
        assertThat(queues.queued()).isZero();
        entry.leave();
        holder.endServerWait(true, true);
        assertThat(queues.inside()).isZero();
    }

    @Test
    void aWaitThatIsOverIsNotWoken() {
        assertThat(holder.tryEnter()).isTrue();
        assertThat(enter(entry, 1)).isEqualTo(EntryState.OVER);
        assertThat(entry.wake()).isFalse();
    }

    /** Else a cancel would be taken for done, and the statement run on at the server. */
    @Test
    void aWaitThatWasNotNeededIsNotWoken() {
        assertThat(enter(entry, MOST)).isEqualTo(EntryState.IN);
        assertThat(entry.wake()).isFalse();
        assertThat(enter(holder, 0)).isEqualTo(EntryState.OVER);
        assertThat(holder.wake()).isFalse();
    }

    @Test
    void toLeaveTwiceIsToLeaveOnce() {
        assertThat(holder.tryEnter()).isTrue();
        holder.leave();
        holder.leave();
        assertThat(queues.inside()).isZero();
        assertThat(holder.tryEnter()).isFalse();
    }

    /** Only where a place is kept the queue itself has seen all that this JVM wants. */
    @Test
    void whatOtherInstancesWantIsWantedWhereverItWasWaitedFor() {
        KeyQueues seen = KeyQueues.adaptive(0);
        QueueEntry kept = seen.join("key", false, null);
        QueueEntry inHand = seen.entry("key".hashCode(), null);
        assertThat(kept.tryEnter()).isTrue();
        assertThat(inHand.tryEnter()).isTrue();
        inHand.leave();
        assertThat(kept.isWanted()).isFalse();
        assertThat(inHand.isWanted()).isFalse();
        kept.queue.policy.held(1_000, true);
        for (int i = 0; i < 100; i++) {
            kept.queue.policy.waited(8_000, 1, 0, -1);
        }
        assertThat(kept.isWanted()).isTrue();
        assertThat(inHand.isWanted()).isTrue();
    }

    @Test
    void whatNeverEnteredHasNothingToGiveBack() {
        QueueEntry never = queues.join("key", false, null);
        assertThat(queues.keysInUse()).isOne();
        never.leave();
        never.leave();
        assertThat(queues.keysInUse()).isZero();
    }
}
