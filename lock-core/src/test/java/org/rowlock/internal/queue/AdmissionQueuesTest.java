package org.rowlock.internal.queue;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.RowLockMode.FOR_KEY_SHARE;
import static org.rowlock.RowLockMode.FOR_NO_KEY_UPDATE;
import static org.rowlock.RowLockMode.FOR_SHARE;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.Requests;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;

/** The queues by themselves, without a server. After every test nothing is left in the map. */
class AdmissionQueuesTest {
    private static final Object DATABASE = "a database";
    private static final LockKey A = LockKey.row("account", 1);
    private static final LockKey B = LockKey.row("account", 2);
    private static final LockWait LONG = LockWait.atMost(TestDatabase.DEADLINE);

    private final LockCalls calls = LockAccess.of(LockAccess.builder()
                    .maxAdmittedPerKey(1)
                    .maxWaitersPerKey(8)
                    .build())
            .calls();
    private final KeyQueues queues = calls.queues();
    private final List<Visitor> visitors = new ArrayList<>();
    private final List<String> arrivals = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void nothingIsLeft() throws Exception {
        visitors.forEach(visitor -> visitor.leave.countDown());
        for (Visitor visitor : visitors) {
            visitor.leave();
        }
        assertThat(queues.keysInUse()).isZero();
    }

    /** A thread that enters, and leaves when it is told. */
    private final class Visitor {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);
        volatile boolean interruptFlag;
        final Thread thread;

        Visitor(LockCalls own, String name, LockRequest request) {
            thread = new Thread(
                    () -> {
                        try (KeyEntries permit = own.admit(DATABASE, request, null)) {
                            assertThat(permit.isQueued()).isTrue();
                            arrivals.add(name);
                            entered.countDown();
                            leave.await();
                        } catch (Throwable e) {
                            failure.set(e);
                        }
                        interruptFlag = Thread.currentThread().isInterrupted();
                    },
                    name);
            thread.setDaemon(true);
            thread.start();
            visitors.add(this);
        }

        Visitor awaitEntered() throws InterruptedException {
            assertThat(entered.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .as(thread.getName() + " entered")
                    .isTrue();
            return this;
        }

        Visitor awaitQueued() {
            TestDatabase.await(thread.getName() + " is queued")
                    .failFast(() -> !thread.isAlive() || entered.getCount() == 0)
                    .until(this::isQueued);
            return this;
        }

        boolean isQueued() {
            Thread.State state = thread.getState();
            return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                    && entered.getCount() == 1
                    && List.of(thread.getStackTrace()).stream()
                            .anyMatch(frame -> frame.getClassName().equals(KeyEntries.class.getName()));
        }

        void leave() throws InterruptedException {
            leave.countDown();
            assertThat(end()).as(thread.getName() + " failed").isNull();
        }

        /** Waits for the end of the thread, and returns its failure or null. A failure is returned once. */
        Throwable end() throws InterruptedException {
            thread.join(TestDatabase.DEADLINE.toMillis());
            assertThat(thread.isAlive())
                    .as(thread.getName() + " is still there")
                    .isFalse();
            return failure.getAndSet(null);
        }
    }

    private Visitor visit(String name, LockKey key, RowLockMode mode) {
        return visit(name, key, mode, LockWait.FOREVER);
    }

    private Visitor visit(String name, LockKey key, RowLockMode mode, LockWait wait) {
        return visit(name, List.of(key), mode, wait);
    }

    private Visitor visit(String name, List<LockKey> keys, RowLockMode mode, LockWait wait) {
        return new Visitor(calls, name, Requests.waiting(LockRequest.of(mode, keys), wait));
    }

    private static void letThrough(Visitor holder, List<Visitor> queued) throws InterruptedException {
        queued.forEach(visitor -> visitor.leave.countDown());
        holder.leave();
        for (Visitor visitor : queued) {
            assertThat(visitor.end()).isNull();
        }
    }

    private KeyEntries enter(LockKey key, RowLockMode mode, LockWait wait) {
        return calls.admit(DATABASE, Requests.waiting(LockRequest.of(mode, List.of(key)), wait), null);
    }

    private void assertEnters(LockKey key, RowLockMode mode, LockWait wait) {
        try (KeyEntries permit = enter(key, mode, wait)) {
            assertThat(permit.isQueued()).isTrue();
        }
    }

    @Test
    void firstComeIsFirstServed() throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        List<Visitor> queued = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockWait wait = i % 2 == 0 ? LockWait.FOREVER : LONG;
            Visitor visitor = visit("v" + i, A, i % 3 == 0 ? FOR_NO_KEY_UPDATE : FOR_UPDATE, wait);
            queued.add(visitor.awaitQueued());
        }
        letThrough(holder, queued);
        assertThat(arrivals).containsExactly("holder", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
    }

    /** So that he already waits at the server when the holder commits. */
    @Test
    void theNextIsLetInBesideTheHolder() throws Exception {
        LockCalls two = LockAccess.of(LockAccess.builder().build()).calls();
        KeyEntries holder = two.admit(DATABASE, forUpdate(A).noWait(), null);
        Visitor next = new Visitor(two, "next", forUpdate(A)).awaitEntered();
        Visitor third = new Visitor(two, "third", forUpdate(A)).awaitQueued();
        Visitor sharer = new Visitor(two, "sharer", forShare(A)).awaitQueued();

        next.leave.countDown();
        assertThat(next.end()).isNull();
        third.awaitEntered().leave.countDown();
        assertThat(third.end()).isNull();
        sharer.leave.countDown();
        assertThat(sharer.entered.getCount()).isOne();
        holder.close();
        assertThat(sharer.awaitEntered().end()).isNull();
        assertThat(arrivals).containsExactly("next", "third", "sharer");
        assertThat(two.queues().keysInUse()).isZero();
    }

    @Test
    void whoIsNotToWaitIsNotLetInAsTheNext() throws Exception {
        LockCalls two = LockAccess.of(LockAccess.builder().build()).calls();
        KeyEntries holder = two.admit(DATABASE, forUpdate(A).noWait(), null);
        Visitor impatient = new Visitor(two, "impatient", forUpdate(A).noWait());
        assertThat(impatient.end()).isInstanceOf(LockNotAvailableException.class);
        holder.close();
    }

    /** Nobody who wants the key for himself waits at the server for sharers whom others join there. */
    @Test
    void nobodyIsLetInBesideThoseWhoShare() throws Exception {
        LockCalls two = LockAccess.of(LockAccess.builder().build()).calls();
        KeyEntries sharer = two.admit(DATABASE, forShare(A).noWait(), null);
        Visitor writer = new Visitor(two, "writer", forUpdate(A)).awaitQueued();
        Visitor late = new Visitor(two, "late", forShare(A)).awaitQueued();
        writer.leave.countDown();
        late.leave.countDown();
        sharer.close();
        assertThat(writer.awaitEntered().end()).isNull();
        assertThat(late.awaitEntered().end()).isNull();
        assertThat(arrivals).containsExactly("writer", "late");
    }

    @Test
    void sharedModesGoInTogetherAndNobodyOvertakesAnExclusiveOne() throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        Visitor first = visit("first", A, FOR_SHARE).awaitQueued();
        Visitor second = visit("second", A, FOR_KEY_SHARE, LONG).awaitQueued();
        Visitor writer = visit("writer", A, FOR_UPDATE).awaitQueued();
        Visitor late = visit("late", A, FOR_SHARE).awaitQueued();

        holder.leave();
        first.awaitEntered();
        second.awaitEntered();
        assertThat(writer.isQueued()).isTrue();
        assertThat(late.isQueued()).isTrue();
        first.leave();
        assertThat(writer.isQueued()).isTrue();
        second.leave();
        writer.awaitEntered();
        assertThat(late.isQueued()).isTrue();
        writer.leave();
        late.awaitEntered().leave();
    }

    @Test
    void eachKeyIsEnteredInItsMode() throws Exception {
        try (KeyEntries permit = calls.admit(DATABASE, Requests.of(Map.of(A, FOR_UPDATE, B, FOR_SHARE)), null)) {
            assertThat(permit.isQueued()).isTrue();
            visit("sharer", B, FOR_SHARE).awaitEntered().leave();
            Visitor sharerOfA = visit("sharer of A", A, FOR_SHARE).awaitQueued();
            Visitor writerOfB = visit("writer of B", B, FOR_UPDATE).awaitQueued();
            sharerOfA.leave.countDown();
            writerOfB.leave.countDown();
            assertThatThrownBy(() -> enter(A, FOR_SHARE, LockWait.FOREVER)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> enter(B, FOR_UPDATE, LockWait.FOREVER)).isInstanceOf(IllegalStateException.class);
        }
        for (Visitor visitor : visitors) {
            assertThat(visitor.end()).isNull();
        }
    }

    @Test
    void noWaitDoesNotOvertakeAWaitingWriter() throws Exception {
        Visitor reader = visit("reader", A, FOR_SHARE).awaitEntered();
        assertEnters(A, FOR_SHARE, LockWait.NO_WAIT);
        Visitor writer = visit("writer", A, FOR_UPDATE).awaitQueued();
        assertThatThrownBy(() -> enter(A, FOR_SHARE, LockWait.NO_WAIT))
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("account[1]");
        reader.leave();
        writer.awaitEntered();
    }

    @Test
    void fullQueueRejectsAndTakesNobodysPlace() throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        List<Visitor> queued = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            queued.add(visit("v" + i, A, i < 4 ? FOR_SHARE : FOR_UPDATE, LockWait.FOREVER)
                    .awaitQueued());
        }
        assertThatThrownBy(() -> enter(A, FOR_UPDATE, LONG))
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContainingAll("account[1]", "8 threads", "maxWaitersPerKey");
        assertThatThrownBy(() -> enter(A, FOR_SHARE, LockWait.FOREVER))
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("8 threads");
        assertThatThrownBy(() -> enter(A, FOR_SHARE, LockWait.NO_WAIT)).isInstanceOf(LockNotAvailableException.class);
        assertEnters(B, FOR_UPDATE, LockWait.FOREVER);
        letThrough(holder, queued);
        assertThat(arrivals).hasSize(9);
    }

    @Test
    void whoIsInTheQueuesIsShown() throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        Visitor waiter = visit("waiter", A, FOR_SHARE).awaitQueued();
        List<KeyEntries.Entrant> entrants = queues.entrants();
        assertThat(entrants)
                .extracting(
                        KeyEntries.Entrant::thread,
                        KeyEntries.Entrant::isAdmitted,
                        KeyEntries.Entrant::mode,
                        KeyEntries.Entrant::key,
                        KeyEntries.Entrant::database)
                .containsExactly(
                        tuple(holder.thread.getName(), true, FOR_UPDATE, A, DATABASE),
                        tuple(waiter.thread.getName(), false, FOR_SHARE, A, DATABASE));
        assertThat(entrants.get(0).since())
                .isGreaterThanOrEqualTo(entrants.get(1).since());
        holder.leave();
        waiter.awaitEntered();
        assertThat(queues.entrants())
                .singleElement()
                .satisfies(one -> assertThat(one.isAdmitted()).isTrue());
        waiter.leave();
        assertThat(queues.entrants()).isEmpty();
    }

    @Test
    void timeoutOfAWriterLetsTheReadersBehindItIn() throws Exception {
        Visitor reader = visit("reader", A, FOR_SHARE).awaitEntered();
        Visitor writer = visit("writer", A, FOR_UPDATE, LockWait.atMost(ofMillis(500)));
        Visitor behind = visit("behind", A, FOR_SHARE);
        assertThat(writer.end())
                .isInstanceOf(LockNotAvailableException.class)
                .hasMessageContainingAll("account[1]", "atMost 0.5s");
        behind.awaitEntered();
        assertThat(reader.thread.isAlive()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptedThreadLeavesTheQueueAndKeepsItsFlag(boolean bounded) throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        Visitor impatient = visit("impatient", A, FOR_UPDATE, bounded ? LONG : LockWait.FOREVER)
                .awaitQueued();
        Visitor behind = visit("behind", A, FOR_UPDATE).awaitQueued();
        impatient.thread.interrupt();
        assertThat(impatient.end())
                .isInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("account[1]")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(impatient.interruptFlag).isTrue();
        assertThat(behind.isQueued()).isTrue();
        holder.leave();
        behind.awaitEntered();
    }

    @Test
    void threadThatIsInterruptedAlreadyDoesNotEnter() {
        for (LockWait wait : List.of(LockWait.FOREVER, LockWait.NO_WAIT, LockWait.atMost(ofMillis(5)))) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(() -> enter(A, FOR_UPDATE, wait))
                        .as("%s", wait)
                        .isInstanceOf(LockInterruptedException.class);
            } finally {
                assertThat(Thread.interrupted()).as("%s", wait).isTrue();
            }
        }
    }

    @Test
    void keysThatWereEnteredAreGivenBackWhenALaterOneFails() throws Exception {
        Visitor holder = visit("holder", B, FOR_UPDATE).awaitEntered();
        for (LockWait wait : List.of(LockWait.NO_WAIT, LockWait.atMost(ofMillis(5)))) {
            assertThatThrownBy(() -> calls.admit(DATABASE, Requests.waiting(forUpdate(List.of(B, A)), wait), null))
                    .isInstanceOf(LockNotAvailableException.class)
                    .hasMessageContaining("account[2]");
            assertThat(queues.keysInUse()).isOne();
        }
        Visitor both =
                visit("both", List.of(A, B), FOR_UPDATE, LockWait.FOREVER).awaitQueued();
        assertThatThrownBy(() -> enter(A, FOR_UPDATE, LockWait.NO_WAIT)).isInstanceOf(LockNotAvailableException.class);
        both.thread.interrupt();
        assertThat(both.end()).isInstanceOf(LockInterruptedException.class);
        assertEnters(A, FOR_UPDATE, LockWait.NO_WAIT);
        holder.leave();
    }

    @Test
    void severalKeysInAnyOrderNeverDeadlock() throws Exception {
        List<LockKey> keys =
                List.of(A, B, LockKey.name("n"), LockKey.number(7), LockKey.pair(1, 2), LockKey.row("t", "x"));
        AtomicInteger done = new AtomicInteger();
        Threads.run(4, thread -> {
            Random random = new Random(thread);
            for (int round = 0; round < 500; round++) {
                List<LockKey> some = new ArrayList<>(keys);
                Collections.shuffle(some, random);
                Map<LockKey, RowLockMode> modes = new HashMap<>();
                some.subList(0, 2 + random.nextInt(4))
                        .forEach(key -> modes.put(key, RowLockMode.values()[random.nextInt(4)]));
                try (KeyEntries permit = calls.admit(DATABASE, Requests.of(modes), null)) {
                    done.addAndGet(permit.isQueued() ? 1 : 0);
                }
            }
        });
        assertThat(done).hasValue(2_000);
    }

    /** Different keys can print alike, so the order must come from more than what they print. */
    @Test
    void keysThatLookAlikeAreEnteredInOneOrderToo() throws Exception {
        LockKey name = LockKey.name("x");
        LockKey row = LockKey.row("name", "x");
        assertThat(row).hasToString(name.toString());
        Visitor holder = visit("holder", name, FOR_UPDATE).awaitEntered();
        Visitor one =
                visit("one", List.of(name, row), FOR_UPDATE, LockWait.FOREVER).awaitQueued();
        Visitor other =
                visit("other", List.of(row, name), FOR_UPDATE, LockWait.FOREVER).awaitQueued();
        one.leave.countDown();
        other.leave.countDown();
        holder.leave();
        TestDatabase.await("both have gone through, and do not wait for each other")
                .atMost(Duration.ofSeconds(20))
                .until(() -> !one.thread.isAlive() && !other.thread.isAlive());
    }

    @Test
    void nestedCallOnAnotherKeyPassesAtOnce() throws Exception {
        Visitor other = visit("other", B, FOR_UPDATE).awaitEntered();
        Visitor waiting = visit("waiting", B, FOR_UPDATE).awaitQueued();
        try (KeyEntries outer = enter(A, FOR_UPDATE, LockWait.FOREVER)) {
            assertThat(outer.isQueued()).isTrue();
            try (KeyEntries inner = enter(B, FOR_UPDATE, LockWait.FOREVER)) {
                assertThat(inner.isQueued()).isFalse();
            }
            // The inner permit did not let anybody in, nor did it end the outer one.
            assertThat(waiting.isQueued()).isTrue();
            assertThat(other.thread.isAlive()).isTrue();
            visit("behind", A, FOR_UPDATE).awaitQueued();
        }
        visitors.get(2).awaitEntered();
        assertThatThrownBy(() -> enter(B, FOR_UPDATE, LockWait.NO_WAIT)).isInstanceOf(LockNotAvailableException.class);
    }

    @Test
    void nestedCallOfOtherRowLocksPassesToo() throws Exception {
        LockCalls others = LockAccess.of(LockAccess.builder().build()).calls();
        Visitor holder = new Visitor(others, "holder", forUpdate(B)).awaitEntered();
        try (KeyEntries outer = enter(A, FOR_UPDATE, LockWait.FOREVER);
                KeyEntries inner = others.admit(DATABASE, forUpdate(B), null)) {
            assertThat(outer.isQueued()).isTrue();
            assertThat(inner.isQueued()).isFalse();
        }
        holder.leave();
        assertThat(others.queues().keysInUse()).isZero();
    }

    @Test
    void nestedCallOnTheSameKeyIsRefused() {
        try (KeyEntries outer = calls.admit(DATABASE, forUpdate(List.of(A, B)), null)) {
            for (RowLockMode mode : RowLockMode.values()) {
                assertThatThrownBy(() -> enter(B, mode, LockWait.NO_WAIT))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("account[2]", "connection of the outer transaction");
            }
            assertThat(outer.isQueued()).isTrue();
        }
        try (KeyEntries outer = enter(A, FOR_SHARE, LockWait.FOREVER)) {
            assertThat(outer.isQueued()).isTrue();
            assertThatThrownBy(() -> enter(A, FOR_UPDATE, LockWait.FOREVER)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> enter(A, FOR_KEY_SHARE, LockWait.FOREVER))
                    .as("a writer may wait for the outer connection, in front of the second")
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    /** The key of a nested call is held as well, by its connection. */
    @Test
    void callNestedTwiceOnTheKeyOfTheNestedCallIsRefused() {
        try (KeyEntries outer = enter(A, FOR_UPDATE, LockWait.FOREVER);
                KeyEntries nested = enter(B, FOR_UPDATE, LockWait.FOREVER)) {
            assertThat(outer.isQueued()).isTrue();
            assertThat(nested.isQueued()).isFalse();
            assertThatThrownBy(() -> enter(B, FOR_UPDATE, LockWait.FOREVER)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void nestedKeyIsFreeAgainWhenTheNestedCallHasEnded() {
        try (KeyEntries outer = enter(A, FOR_UPDATE, LockWait.FOREVER)) {
            assertThat(outer.isQueued()).isTrue();
            for (int i = 0; i < 2; i++) {
                try (KeyEntries nested = enter(B, FOR_UPDATE, LockWait.FOREVER)) {
                    assertThat(nested.isQueued()).isFalse();
                }
            }
        }
        assertEnters(B, FOR_UPDATE, LockWait.FOREVER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void permitIsClosedByItsOwnThreadOnly(boolean shared) throws Exception {
        KeyEntries permit = enter(A, shared ? FOR_SHARE : FOR_UPDATE, LockWait.FOREVER);
        assertThatThrownBy(() -> Threads.run(1, thread -> permit.close()))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(queues.keysInUse()).isOne();
        Visitor behind = visit("behind", A, FOR_UPDATE).awaitQueued();
        permit.close();
        permit.close();
        behind.awaitEntered();
    }

    @Test
    void sameKeyOfTwoDatabasesAreTwoQueues() throws Exception {
        Visitor holder = visit("holder", A, FOR_UPDATE).awaitEntered();
        try (KeyEntries permit = calls.admit("another database", forUpdate(A).noWait(), null)) {
            assertThat(permit.isQueued()).isTrue();
            assertThat(queues.keysInUse()).isEqualTo(2);
            try (KeyEntries nested = enter(A, FOR_UPDATE, LockWait.NO_WAIT)) {
                assertThat(nested.isQueued()).isFalse();
            }
        }
        holder.leave();
    }

    @Test
    void permitsMayBeClosedInAnyOrder() {
        KeyEntries outer = calls.admit(DATABASE, forUpdate(A), null);
        KeyEntries inner = calls.admit(DATABASE, forUpdate(B), null);
        outer.close();
        inner.close();
        assertEnters(A, FOR_UPDATE, LockWait.FOREVER);
    }
}
