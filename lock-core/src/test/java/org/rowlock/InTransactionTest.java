package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.TestDatabase.execute;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.EndedEvent;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.rowlock.testing.Waits;

/** Admission, connection, begin, lock, work, commit; and whatever fails on the way, nothing is left of it. */
class InTransactionTest {
    private static final LockKey A = LockKey.row("account", 1);
    private static final LockKey B = LockKey.row("account", 2);
    private static final LockKey C = LockKey.row("account", 3);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            5, "create table child(account int references account deferrable initially deferred)");

    private final List<LockEvent> acquisitions = new ArrayList<>();
    private final List<CompletableFuture<Long>> writers = Collections.synchronizedList(new ArrayList<>());
    private RowLocks locks = LockAccess.builder().listener(this::listen).build();

    private void listen(LockEvent event) {
        if (event.kind() == Kind.ACQUISITION) {
            acquisitions.add(event);
        }
    }

    @AfterEach
    void nothingIsLeftInTheQueues() {
        assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isZero();
    }

    /** A wrapper may ignore setAutoCommit(false), and each statement would then be a transaction of its own. */
    @Test
    void aConnectionThatStaysInAutocommitIsRefusedBeforeAnySql() throws Exception {
        DataSource stubborn = Proxies.of(DataSource.class, (proxy, method, given) -> {
            Object result = Proxies.call(database.dataSource(), method, given);
            return !(result instanceof Connection connection)
                    ? result
                    : Proxies.of(
                            Connection.class,
                            (own, called, arguments) -> called.getName().equals("setAutoCommit")
                                    ? null
                                    : Proxies.call(connection, called, arguments));
        });
        LockOperation operation = RowLocks.of(stubborn).lock(forUpdate(A));
        assertThatThrownBy(() -> operation.execute("update account set balance = 1 where id = 1"))
                .isInstanceOf(LockTransactionException.class)
                .hasMessageContaining("in autocommit");
        assertThatThrownBy(() -> operation.useTransaction(tx -> {}))
                .isInstanceOf(LockTransactionException.class)
                .hasMessageContaining("in autocommit");
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    private ObservedDataSource observed() {
        return new ObservedDataSource(database.dataSource());
    }

    private long balance(LockKey key) throws SQLException {
        return Long.parseLong(database.query(balanceOf(key)));
    }

    private void depositFive(DataSource dataSource) throws SQLException {
        locks.on(dataSource).lock(forUpdate(A)).useTransaction(tx -> {
            deposit(tx.connection(), A, 5);
        });
    }

    private static String balanceOf(LockKey key) {
        return "select balance from account where id = "
                + ((LockKey.Row) key).id().get(0);
    }

    private static void deposit(Connection connection, LockKey key, long amount) throws SQLException {
        execute(
                connection,
                "update account set balance = balance + " + amount + " where id = "
                        + ((LockKey.Row) key).id().get(0));
    }

    private static long read(Connection connection, LockKey key) throws SQLException {
        return Long.parseLong(TestDatabase.query(connection, balanceOf(key)));
    }

    @EveryStrategy
    void worksUnderTheLockAndCommits(LockStrategy strategy, Session other) throws Exception {
        locks = locks(strategy);
        ObservedDataSource dataSource = observed();
        String result = locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> {
            assertThat(isFree(other, A)).isFalse();
            assertThat(isFree(other, B)).isTrue();
            assertThat(LockAccess.of(locks).calls().queues().keysInUse()).isOne();
            deposit(tx.connection(), A, 5);
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(balance(A)).isEqualTo(5);
        assertThat(isFree(other, A)).isTrue();
        assertThat(dataSource.calls())
                .containsExactly("setAutoCommit(false)", "commit", "setAutoCommit(true)", "close");
    }

    private boolean isFree(Session session, LockKey key) throws Exception {
        boolean free = tryLock(session, locks, forUpdate(key));
        session.rollback();
        return free;
    }

    @Test
    void nullIsAResult() throws Exception {
        Object result = locks.on(observed()).lock(forUpdate(A)).<Object, SQLException>inTransaction(tx -> null);
        assertThat(result).isNull();
    }

    @Test
    void connectionThatComesWithoutAutocommitKeepsItSo() throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1)) {
            pool.setAutoCommit(false);
            ObservedDataSource dataSource = new ObservedDataSource(pool);
            depositFive(dataSource);
            assertThat(dataSource.calls()).containsExactly("commit", "close");
        }
        assertThat(balance(A)).isEqualTo(5);
    }

    static List<Throwable> failures() {
        return List.of(
                new IOException("checked"), new IllegalStateException("runtime"), new AssertionError("an Error"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failureOfTheWorkRollsBackAndIsNotWrapped(Throwable failure) {
        ObservedDataSource dataSource = observed();
        Throwable thrown =
                catchThrowable(() -> locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> {
                    deposit(tx.connection(), A, 5);
                    return raise(failure);
                }));
        assertThat(thrown).isSameAs(failure);
        assertThat(thrown.getSuppressed()).isEmpty();
        assertThat(catchThrowable(() -> assertThat(balance(A)).isZero())).isNull();
        assertThat(dataSource.calls())
                .containsExactly("setAutoCommit(false)", "rollback", "setAutoCommit(true)", "close");
        assertThat(dataSource.open()).isZero();
    }

    private static Object raise(Throwable failure) throws Exception {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (Exception) failure;
    }

    @Test
    void failingRollbackIsSuppressedByTheFailure() {
        ObservedDataSource dataSource = observed();
        SQLException rollback = new SQLException("no rollback");
        dataSource.fail("rollback", rollback);
        IllegalStateException failure = new IllegalStateException("work");
        assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasSuppressedException(rollback);
        assertThat(dataSource.open()).isZero();
    }

    @Test
    void failingCommitReachesTheCallerAndNothingStaysHeld() throws Exception {
        ObservedDataSource dataSource = observed();
        SQLException commit = new SQLException("no commit");
        dataSource.fail("commit", commit);
        assertThatThrownBy(() -> depositFive(dataSource)).isSameAs(commit);
        assertThat(dataSource.calls()).containsSubsequence("commit", "rollback", "close");
        assertThat(balance(A)).isZero();
        assertThat(isFree(database.session("other"), A)).isTrue();
    }

    /** It would look as if the transaction had not committed, and the caller might run it again. */
    @Test
    void failureToReturnTheConnectionDoesNotHideTheCommit() throws Exception {
        ObservedDataSource dataSource = observed();
        dataSource.fail("close", new SQLException("no close"));
        depositFive(dataSource);
        assertThat(balance(A)).isEqualTo(5);
    }

    @EveryStrategy
    void constraintThatIsCheckedAtCommitReachesTheCaller(LockStrategy strategy) throws Exception {
        locks = locks(strategy);
        ObservedDataSource dataSource = observed();
        assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(A)).useTransaction(tx -> {
                    deposit(tx.connection(), A, 5);
                    execute(tx.connection(), "insert into child values (999)");
                }))
                .satisfies(sqlState("23503"));
        assertThat(balance(A)).isZero();
        assertThat(dataSource.open()).isZero();
        assertThat(isFree(database.session("other"), A)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"getConnection", "getAutoCommit", "setAutoCommit", "prepareStatement"})
    void whateverFailsAroundTheWorkLeavesNothing(String method) throws Exception {
        ObservedDataSource dataSource = observed();
        SQLException failure = new SQLException("no " + method);
        dataSource.fail(method, failure);
        Throwable thrown =
                catchThrowable(() -> locks.on(dataSource).lock(forUpdate(A)).useTransaction(tx -> {}));
        assertThat(thrown)
                .satisfiesAnyOf(
                        t -> assertThat(t).isSameAs(failure), t -> assertThat(t).hasCause(failure));
        assertThat(dataSource.open()).isZero();
        assertThat(isFree(database.session("other"), A)).isTrue();
    }

    @EveryStrategy
    void lockThatIsNotAvailableLeavesNothing(LockStrategy strategy, Session holder) throws Exception {
        locks = locks(strategy);
        lock(holder, locks, forUpdate(A));
        for (LockWait wait : Waits.SHORT) {
            ObservedDataSource dataSource = observed();
            List<String> worked = new ArrayList<>();
            assertThatThrownBy(() -> locks.on(dataSource)
                            .lock(Requests.waiting(forUpdate(List.of(B, A)), wait))
                            .inTransaction(tx -> worked.add("work")))
                    .isInstanceOf(LockNotAvailableException.class);
            assertThat(worked).isEmpty();
            assertThat(dataSource.calls()).containsSubsequence("rollback", "setAutoCommit(true)", "close");
            assertThat(dataSource.open()).isZero();
        }
        assertThat(isFree(database.session("other"), B)).isTrue();
    }

    @Test
    void severalKeysAreLockedTogetherInTheGivenMode() throws Exception {
        DataSource dataSource = database.dataSource();
        CyclicBarrier bothAreIn = new CyclicBarrier(2);
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<LockKey> keys = i == 0 ? List.of(A, B) : List.of(B, A, B);
            futures.add(Threads.start(() -> locks.on(dataSource)
                    .lock(forShare(keys))
                    .inTransaction(tx -> {
                        bothAreIn.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
                        return read(tx.connection(), A) + read(tx.connection(), B);
                    })));
        }
        for (CompletableFuture<Long> future : futures) {
            assertThat(TestDatabase.result(future)).isZero();
        }
    }

    @Test
    void timeInTheQueueCountsAndWhatRemainsGoesToTheServer() throws Exception {
        LockWait wait = LockWait.atMost(TestDatabase.DEADLINE);
        locks.on(observed()).lock(Requests.waiting(forUpdate(A), wait)).useTransaction(other -> {});
        assertThat(acquisitions).hasSize(1);
        assertThat(((EndedEvent) acquisitions.get(0)).lockWait().nanos())
                .isPositive()
                .isLessThan(TestDatabase.DEADLINE.toNanos());
        locks.on(observed()).lock(forUpdate(A).noWait()).useTransaction(tx -> {});
        assertThat(((EndedEvent) acquisitions.get(1)).lockWait()).isEqualTo(LockWait.NO_WAIT);
        locks.on(observed()).lock(forUpdate(A)).useTransaction(tx -> {});
        assertThat(((EndedEvent) acquisitions.get(2)).lockWait()).isEqualTo(LockWait.FOREVER);
    }

    @Test
    void timeInThePoolDoesNotCount() throws Exception {
        Duration bound = Duration.ofSeconds(1); // A busy machine may delay the thread by a shorter bound.
        DataSource slow = TestDataSource.of(() -> {
            for (long begun = System.nanoTime(); System.nanoTime() - begun <= bound.toNanos(); ) {
                Thread.onSpinWait();
            }
            return database.dataSource().getConnection();
        });
        locks.on(slow).lock(forUpdate(A).atMost(bound)).useTransaction(tx -> {});
        assertThat(acquisitions)
                .singleElement()
                .satisfies(told ->
                        assertThat(((EndedEvent) told).lockWait().isBounded()).isTrue());
    }

    @Test
    void whoDoesNotGetThroughTheQueueBorrowsNoConnection() throws Exception {
        locks = LockAccess.builder().maxAdmittedPerKey(1).build();
        ObservedDataSource dataSource = observed();
        locks.on(dataSource).lock(forUpdate(A)).useTransaction(tx -> {
            for (LockWait wait : Waits.SHORT) {
                assertThat(onAnotherThread(number -> locks.on(dataSource)
                                .lock(Requests.waiting(forUpdate(A), wait))
                                .inTransaction(other -> null)))
                        .isInstanceOf(LockNotAvailableException.class);
            }
            assertThat(onAnotherThread(number -> {
                        Thread.currentThread().interrupt();
                        try {
                            locks.on(dataSource).lock(forUpdate(A)).useTransaction(other -> {});
                        } finally {
                            assertThat(Thread.currentThread().isInterrupted()).isTrue();
                        }
                    }))
                    .isInstanceOf(LockInterruptedException.class);
        });
        assertThat(dataSource.borrowed()).isOne();
    }

    private static Throwable onAnotherThread(Threads.Work work) {
        return catchThrowable(() -> Threads.run(1, work));
    }

    /** On one more connection, whose transaction is its own. */
    @Test
    void nestedTransactionIsIndependentOfTheOuterOne() throws Exception {
        ObservedDataSource dataSource = observed();
        assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> {
                    deposit(tx.connection(), A, 5);
                    locks.on(dataSource).lock(forUpdate(B)).useTransaction(inner -> {
                        assertThat(dataSource.open()).isEqualTo(2);
                        deposit(inner.connection(), B, 7);
                    });
                    throw new IOException("the outer one fails");
                }))
                .isInstanceOf(IOException.class);
        assertThat(balance(A)).isZero();
        assertThat(balance(B)).isEqualTo(7);
    }

    @Test
    void nestedTransactionOnTheSameKeyIsRefusedAndTheOuterGoesOn() throws Exception {
        ObservedDataSource dataSource = observed();
        locks.on(dataSource).lock(forUpdate(A)).useTransaction(tx -> {
            assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(A)).useTransaction(inner -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("account[1]");
            deposit(tx.connection(), A, 5);
        });
        assertThat(balance(A)).isEqualTo(5);
        assertThat(dataSource.borrowed()).isOne();
    }

    /** The server sees no deadlock here, as each thread has two connections; so the queues must not make one. */
    @Test
    void threadsThatNestInOppositeOrdersDoNotDeadlockInTheQueues() throws Exception {
        DataSource dataSource = database.dataSource();
        CyclicBarrier bothAreIn = new CyclicBarrier(2);
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<LockKey> outer = List.of(i == 0 ? A : B);
            List<LockKey> inner = List.of(i == 0 ? B : A);
            futures.add(Threads.start(() -> locks.on(dataSource)
                    .lock(forShare(outer))
                    .inTransaction(tx -> {
                        bothAreIn.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
                        writers.add(startWriter(dataSource, outer));
                        bothAreIn.await(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
                        return locks.on(dataSource).lock(forShare(inner)).inTransaction(within -> 1L);
                    })));
        }
        for (CompletableFuture<Long> future : futures) {
            assertThat(TestDatabase.result(future)).isOne();
        }
        for (CompletableFuture<Long> future : writers) {
            assertThat(TestDatabase.result(future)).isOne();
        }
    }

    /** Puts somebody into the queue whom a fair queue would not let the nested call overtake. */
    private CompletableFuture<Long> startWriter(DataSource dataSource, List<LockKey> keys) {
        List<Thread> thread = new CopyOnWriteArrayList<>();
        CompletableFuture<Long> writer = Threads.start(() -> {
            thread.add(Thread.currentThread());
            return locks.on(dataSource).lock(forUpdate(keys)).inTransaction(tx -> 1L);
        });
        TestDatabase.await().until(() -> !thread.isEmpty() && thread.get(0).getState() == Thread.State.WAITING);
        return writer;
    }

    @EveryStrategy
    void connectionLostDuringTheWorkLeavesNothing(LockStrategy strategy) throws Exception {
        locks = locks(strategy);
        ObservedDataSource dataSource = observed();
        assertThatThrownBy(() -> locks.on(dataSource).lock(forUpdate(A)).inTransaction(tx -> {
                    deposit(tx.connection(), A, 5);
                    int pid = tx.connection().unwrap(PGConnection.class).getBackendPID();
                    database.execute("select pg_terminate_backend(" + pid + ")");
                    return read(tx.connection(), A);
                }))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isIn("57P01", "08006"));
        assertThat(dataSource.open()).isZero();
        assertThat(balance(A)).isZero();
        locks.on(database.dataSource()).lock(forUpdate(A)).useTransaction(tx -> {
            deposit(tx.connection(), A, 1);
        });
        assertThat(balance(A)).isOne();
    }

    /** The pool's own statement has begun a transaction by the time that it hands out the connection. */
    @EveryStrategy.WithRow
    void aPoolMayInitializeItsConnectionsWithoutAutocommit(RowLocks locks) throws Exception {
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), 1));
        pool.setAutoCommit(false);
        pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        pool.setConnectionInitSql("set work_mem = '5MB'");
        for (int i = 0; i < 2; i++) {
            String setting = locks.on(pool)
                    .lock(forUpdate(LockKey.row("account", 1)))
                    .inTransaction(tx -> {
                        return TestDatabase.query(
                                tx.connection(),
                                "select current_setting('work_mem') || current_setting('transaction_isolation')");
                    });
            assertThat(setting).isEqualTo("5MBrepeatable read");
        }
    }
}
