package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockRequest.forUpdate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.Held;
import org.rowlock.testing.Locks;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;

/** Who waits for a row at the server, and who in the JVM. */
class GateTest {
    private static final long NEVER_OVER = Duration.ofHours(1).toNanos();
    private static final LockKey KEY = LockKey.row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(2);

    private final Gated gated = Gated.by(FixedWidth.queues(1, NEVER_OVER));
    private Session holder;

    @BeforeEach
    void lockTheRow() throws Exception {
        holder = database.session("holder");
        gated.lock(holder);
    }

    /** Calls of ROW through a gate. */
    private record Gated(KeyQueues gate, LockCalls calls) {
        static Gated by(KeyQueues gate) {
            return new Gated(gate, Locks.calls(LockStrategy.ROW, gate));
        }

        Step<LockResult> start(Session session, LockKey key, RowLockMode mode, LockWait wait) {
            return session.start(c ->
                    new TransactionLocks(c, calls).lock(Requests.waiting(LockRequest.of(mode, List.of(key)), wait)));
        }

        Step<LockResult> start(Session session) {
            return start(session, KEY, RowLockMode.FOR_UPDATE, LockWait.FOREVER);
        }

        void lock(Session session) throws Exception {
            session.run(c -> new TransactionLocks(c, calls).lock(forUpdate(KEY)));
        }

        void awaitQueued(int threads) {
            TestDatabase.await().until(() -> gate.queued() == threads);
        }
    }

    private List<Session> sessions(int count) throws Exception {
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sessions.add(database.session("waiter" + i));
        }
        return sessions;
    }

    private void awaitWaitingAtServer(int count) {
        TestDatabase.await().until(() -> database.waiting() == count);
    }

    private void end(List<Step<LockResult>> steps) throws Exception {
        holder.commit();
        Step.commitAll(steps);
        for (Step<LockResult> step : steps) {
            assertThat(Held.of(step.get())).isEqualTo(Held.ROW_LOCKED);
        }
    }

    @Test
    void noMoreThanTheBoundWaitAtTheServerForARow() throws Exception {
        Gated two = Gated.by(FixedWidth.queues(2, NEVER_OVER));
        List<Session> waiters = sessions(6);
        List<Step<LockResult>> steps = waiters.stream().map(two::start).toList();

        awaitWaitingAtServer(2);
        two.awaitQueued(4);
        assertThat(database.waiting()).isEqualTo(2);

        end(steps);
        assertThat(two.gate().queued()).isZero();
    }

    @Test
    void theyGoToTheServerInTheOrderOfTheirArrival() throws Exception {
        List<Session> waiters = sessions(5);
        List<Step<LockResult>> steps = new ArrayList<>();
        for (Session waiter : waiters) {
            steps.add(gated.start(waiter));
            awaitWaitingAtServer(1);
            gated.awaitQueued(steps.size() - 1);
        }

        holder.commit();
        for (int i = 0; i < steps.size(); i++) {
            assertThat(Held.of(steps.get(i).get())).isEqualTo(Held.ROW_LOCKED);
            assertThat(steps.stream().filter(Step::isDone)).hasSize(i + 1);
            waiters.get(i).commit();
        }
    }

    /** The server ends a transaction that is idle for too long, but not one that waits at the server for a lock. */
    @Test
    void aBegunTransactionWaitsForAPartOfItsIdleTimeout() throws Exception {
        List<Session> waiters = sessions(2);
        List<Step<LockResult>> steps = new ArrayList<>();
        for (Session waiter : waiters) {
            waiter.execute("set local idle_in_transaction_session_timeout = '2s'");
            steps.add(gated.start(waiter));
            awaitWaitingAtServer(steps.size());
        }

        end(steps);
    }

    @Test
    void plainReadsBeforeTheLockDoNotCount() throws Exception {
        List<Session> waiters = sessions(2);
        List<Step<LockResult>> steps = new ArrayList<>();
        for (Session waiter : waiters) {
            waiter.execute("select * from account where id = 2");
            waiter.execute("savepoint s");
            steps.add(gated.start(waiter));
            awaitWaitingAtServer(1);
        }
        gated.awaitQueued(1);

        end(steps);
    }

    @Test
    void whoHoldsARowAlreadyDoesNotWaitInTheJvm() throws Exception {
        List<Session> waiters = sessions(3);
        List<Step<LockResult>> steps = new ArrayList<>();
        for (Session waiter : waiters) {
            waiter.execute("select * from account where id = 2 for key share");
            steps.add(gated.start(waiter));
        }

        awaitWaitingAtServer(3);

        end(steps);
    }

    @Test
    void anotherRowASharedModeAndATryDoNotQueue() throws Exception {
        List<Session> waiters = sessions(5);
        List<Step<LockResult>> steps = new ArrayList<>();
        steps.add(gated.start(waiters.get(0)));
        awaitWaitingAtServer(1);
        steps.add(gated.start(waiters.get(1)));
        gated.awaitQueued(1);

        steps.add(gated.start(waiters.get(2), KEY, RowLockMode.FOR_SHARE, LockWait.FOREVER));
        awaitWaitingAtServer(2);
        assertThat(Held.of(
                        gated.start(waiters.get(3), LockKey.row("account", 2), RowLockMode.FOR_UPDATE, LockWait.FOREVER)
                                .get()))
                .isEqualTo(Held.ROW_LOCKED);
        Step<LockResult> tried = gated.start(waiters.get(4), KEY, RowLockMode.FOR_UPDATE, LockWait.NO_WAIT);
        assertThatThrownBy(tried::get).isInstanceOf(LockNotAvailableException.class);
        waiters.get(4).rollback();

        end(steps);
    }

    @Test
    void theTimeInTheJvmCountsAgainstTheBoundOfTheWait() throws Exception {
        List<Session> waiters = sessions(2);
        Step<LockResult> first = gated.start(waiters.get(0));
        awaitWaitingAtServer(1);

        Session late = waiters.get(1);
        Step<LockResult> bounded =
                gated.start(late, KEY, RowLockMode.FOR_UPDATE, LockWait.atMost(Duration.ofMillis(50)));
        assertThatThrownBy(bounded::get).isInstanceOf(LockNotAvailableException.class);
        late.execute("select 1");

        end(List.of(first));
    }

    @Test
    void withoutProgressMoreAndMoreGoToTheServer() throws Exception {
        Gated growing = Gated.by(FixedWidth.queues(1, 1));
        List<Session> waiters = sessions(6);
        List<Step<LockResult>> steps = waiters.stream().map(growing::start).toList();

        awaitWaitingAtServer(6);

        end(steps);
    }

    @Test
    void anInterruptEndsTheWaitInTheJvmAndNotTheOneForTheLock() throws Exception {
        List<Session> waiters = sessions(2);
        Step<LockResult> first = gated.start(waiters.get(0));
        awaitWaitingAtServer(1);
        AtomicBoolean kept = new AtomicBoolean();
        Thread[] thread = new Thread[1];
        Step<LockResult> second = waiters.get(1).start(c -> {
            thread[0] = Thread.currentThread();
            LockResult result = new TransactionLocks(c, gated.calls()).lock(forUpdate(KEY));
            kept.set(Thread.interrupted());
            return result;
        });
        gated.awaitQueued(1);

        thread[0].interrupt();
        awaitWaitingAtServer(2);

        end(List.of(first, second));
        assertThat(kept).isTrue();
    }

    @Test
    void aFailureLeavesItsPlace() throws Exception {
        holder.rollback();
        LockKey nowhere = LockKey.row("nowhere", 1);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(gated.start(holder, nowhere, RowLockMode.FOR_UPDATE, LockWait.FOREVER)::get)
                    .isInstanceOf(LockTargetException.class);
            holder.rollback();
        }
        assertThat(Held.of(gated.start(holder).get())).isEqualTo(Held.ROW_LOCKED);
    }

    @Test
    void aBackendThatIsKilledWhileItWaitsLeavesItsPlace() throws Exception {
        List<Session> waiters = sessions(2);
        Step<LockResult> killed = gated.start(waiters.get(0));
        awaitWaitingAtServer(1);
        Step<LockResult> next = gated.start(waiters.get(1));
        gated.awaitQueued(1);

        database.query("select pg_terminate_backend(" + waiters.get(0).pid() + ")");
        assertThatThrownBy(killed::get).isInstanceOf(LockConnectionLostException.class);
        awaitWaitingAtServer(1);
        assertThat(gated.gate().queued()).isZero();

        end(List.of(next));
        assertThat(gated.gate().inside()).isZero();
    }
}
