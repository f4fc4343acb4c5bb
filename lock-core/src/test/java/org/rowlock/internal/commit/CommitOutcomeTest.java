package org.rowlock.internal.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.assertRefusal;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.begin;
import static org.rowlock.testing.TestDatabase.execute;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrites;
import org.rowlock.LockCanceledException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.value.LockWait;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Requests;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** inTransaction returns normally if and only if the work is stored, and tells "not" from "nobody knows". */
@Tag("long")
class CommitOutcomeTest {
    private static final LockKey KEY = LockKey.row("account", 1);

    @AutoClose("stop")
    private static TestPostgres server;

    static {
        server = TestPostgres.embedded(Map.of("synchronous_commit", "on"));
    }

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(server, 1, "create table payment(id int primary key)");

    private TcpProxy proxy;

    @BeforeEach
    void start() throws Exception {
        proxy = database.closing(TcpProxy.to(database.dataSource()));
    }

    private DataSource proxied() throws Exception {
        return proxy.through(database.dataSource());
    }

    private static Void add(Connection connection) throws SQLException {
        execute(connection, "update account set balance = balance + 1 where id = 1");
        return null;
    }

    /** An error that the work catches. */
    private static void failToPay(Connection connection) {
        assertThatThrownBy(() -> execute(connection, "insert into payment values (null)"))
                .isInstanceOf(SQLException.class);
    }

    private String balance() throws SQLException {
        return database.query("select balance from account where id = 1");
    }

    /** The server answers COMMIT with ROLLBACK, and the driver says nothing. */
    @EveryStrategy
    void workThatCatchesAnErrorOfItsOwnIsNotReportedAsCommitted(LockStrategy strategy) throws Exception {
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        assertRefusal(
                        LockTransactionException.class,
                        "25P02",
                        () -> on(locks(strategy), dataSource)
                                .lock(forUpdate(KEY))
                                .inTransaction(tx -> {
                                    add(tx.connection());
                                    failToPay(tx.connection());
                                    return catchThrowable(() -> add(tx.connection()));
                                }))
                .hasMessageContainingAll("account[1]", "payment", "savepoint")
                .cause()
                .satisfies(sqlState("23502"));
        assertThat(balance()).isEqualTo("0");
        assertThat(dataSource.calls()).containsSubsequence("rollback", "setAutoCommit(true)", "close");
        assertThat(dataSource.calls()).doesNotContain("commit");
    }

    @EveryStrategy
    void anErrorBehindASavepointKeepsNothingFromCommitting(LockStrategy strategy) throws Exception {
        on(locks(strategy), database.dataSource()).lock(forUpdate(KEY)).inTransaction(tx -> {
            Savepoint savepoint = tx.connection().setSavepoint();
            failToPay(tx.connection());
            tx.connection().rollback(savepoint);
            return add(tx.connection());
        });
        assertThat(balance()).isEqualTo("1");
    }

    @EveryStrategy
    void connectionLostInTheWorkIsTheDriversErrorAndNothingIsStored(LockStrategy strategy) throws Exception {
        proxy.cutBefore("update account");
        assertThatThrownBy(() ->
                        on(locks(strategy), proxied()).lock(forUpdate(KEY)).inTransaction(tx -> add(tx.connection())))
                .satisfies(sqlState("08006"));
        assertThat(balance()).isEqualTo("0");
    }

    @EveryStrategy
    void connectionLostAtCommitIsAnUnknownOutcome(LockStrategy strategy) throws Exception {
        proxy.cutBefore("COMMIT");
        assertUnknown(strategy);
        assertThat(balance()).isEqualTo("0");
        proxy.cutAfter("COMMIT");
        assertUnknown(strategy);
        assertThat(balance()).isEqualTo("1");
    }

    private void assertUnknown(LockStrategy strategy) throws Exception {
        ObservedDataSource dataSource = new ObservedDataSource(proxied());
        assertRefusal(
                        CommitOutcomeUnknownException.class,
                        "08006",
                        () -> on(locks(strategy), dataSource)
                                .lock(forUpdate(KEY))
                                .inTransaction(tx -> add(tx.connection())))
                .hasMessageContainingAll("account[1]", "before you run it again")
                .hasCauseInstanceOf(SQLException.class);
        assertThat(dataSource.open()).isZero();
    }

    /** One way to pay. */
    @FunctionalInterface
    private interface Payment {
        void pay(DataSource pool, int id) throws SQLException;
    }

    /** Who tries again only what is surely not stored, and looks where it is not known, pays everything once. */
    private void retriesPayOnce(Payment way) throws Exception {
        List<String> places = List.of("update account", "COMMIT", "rowlock-none", "insert into payment");
        int unknown = 0;
        try (HikariDataSource pool = Pools.of(proxied(), 2)) {
            for (int payment = 1; payment <= 20; payment++) {
                String place = places.get(payment % places.size());
                if (payment % 2 == 0) {
                    proxy.cutBefore(place);
                } else {
                    proxy.cutAfter(place);
                }
                boolean done = false;
                while (!done) {
                    try {
                        way.pay(pool, payment);
                        done = true;
                    } catch (CommitOutcomeUnknownException e) {
                        unknown++;
                        done = isPaid(payment);
                    } catch (SQLException | LockConnectionLostException e) {
                        done = false;
                    }
                }
            }
        }
        assertThat(unknown).isPositive();
        assertThat(proxy.cuts()).isGreaterThanOrEqualTo(15);
        assertThat(balance()).isEqualTo("20");
    }

    /** Whether a payment is stored, once the server has ended what was lost. */
    private boolean isPaid(int payment) throws SQLException {
        TestDatabase.await()
                .until(() -> database.query("select count(*) from pg_stat_activity where application_name = '"
                                + database.schema() + "' and xact_start is not null and pid <> pg_backend_pid()")
                        .equals("0"));
        return database.query("select count(*) from payment where id = " + payment)
                .equals("1");
    }

    @EveryStrategy
    void retriesByTheTableOfFailuresPayOnce(RowLocks locks) throws Exception {
        retriesPayOnce((pool, id) -> on(locks, pool).lock(forUpdate(KEY)).inTransaction(tx -> {
            execute(tx.connection(), "insert into payment values (" + id + ")");
            return add(tx.connection());
        }));
    }

    @EveryStrategy
    void retriesOfWritesPayOnce(LockStrategy strategy) throws Exception {
        retriesPayOnce((pool, id) -> (id % 3 == 0 ? CommitWay.EXECUTE : CommitWay.WRITES)
                .add(locks(strategy), pool, 1, "insert into payment values (" + id + ")"));
    }

    @Test
    void connectionThatIsClosedBeforeTheCommitHasStoredNothing() throws Exception {
        for (Session.Body<?> lose : List.<Session.Body<?>>of(
                connection -> {
                    proxy.cutAll();
                    return catchThrowable(() -> execute(connection, "select 1"));
                },
                connection -> {
                    connection.close();
                    return null;
                })) {
            assertRefusal(
                            LockConnectionLostException.class,
                            "08003",
                            () -> RowLocks.of(proxied()).lock(forUpdate(KEY)).inTransaction(tx -> {
                                add(tx.connection());
                                return lose.run(tx.connection());
                            }))
                    .hasMessageContaining("Nothing of the work");
        }
        assertThat(balance()).isEqualTo("0");
    }

    @Test
    void transactionThatWasIdleForTooLongHasStoredNothing() throws Exception {
        assertRefusal(
                LockConnectionLostException.class,
                "25P03",
                () -> RowLocks.of(database.dataSource()).lock(forUpdate(KEY)).inTransaction(tx -> {
                    add(tx.connection());
                    execute(tx.connection(), "set local idle_in_transaction_session_timeout = 1");
                    int pid = tx.connection().unwrap(PGConnection.class).getBackendPID();
                    database.awaitEnd(pid);
                    return null;
                }));
        assertThat(balance()).isEqualTo("0");
    }

    private static final String ADD = "update account set balance = balance + ? where id = ?";

    /** The ways to send writes and COMMIT in one flush. */
    private static final List<CommitWay> WITH_WRITES = List.of(CommitWay.WRITES, CommitWay.EXECUTE);

    /** A connection that is lost in the flush with the COMMIT may have committed, at whatever statement of it. */
    @EveryStrategy
    void connectionLostInTheFlushOfTheCommitIsAnUnknownOutcome(LockStrategy strategy) throws Exception {
        int stored = 0;
        for (String place : List.of("update account", "COMMIT")) {
            for (CommitWay way : WITH_WRITES) {
                proxy.cutBefore(place);
                assertUnknown(() -> way.add(locks(strategy), proxied(), 1));
                assertThat(balance()).isEqualTo(String.valueOf(stored));
            }
            proxy.cutAfter(place);
            assertUnknown(() -> CommitWay.WRITES.add(locks(strategy), proxied(), 1));
            assertThat(balance()).isEqualTo(String.valueOf(++stored));
        }
    }

    private static void assertUnknown(ThrowingCallable call) {
        assertRefusal(CommitOutcomeUnknownException.class, "08006", call)
                .hasMessageContaining("before you run it again")
                .hasCauseInstanceOf(SQLException.class);
    }

    /** More than 100 executions need two flushes, and only the last flush has the COMMIT. */
    @EveryStrategy
    void connectionLostInAFlushBeforeTheCommitHasStoredNothing(LockStrategy strategy) throws Exception {
        CommitWrites writes = new CommitWrites();
        writes.addBatch(
                        "update account set balance = balance + 1 where id = ?",
                        Collections.nCopies(WriteForms.MOST_IN_ONE + 1, 1))
                .expectOneRow();
        proxy.cutAfter("update account");
        assertRefusal(
                LockConnectionLostException.class,
                "08006",
                () -> on(locks(strategy), proxied()).lock(forUpdate(KEY)).execute(writes));
        assertThat(balance()).isEqualTo("0");
        proxy.cutAfter("COMMIT");
        assertUnknown(() -> on(locks(strategy), proxied()).lock(forUpdate(KEY)).execute(writes));
        assertThat(balance()).isEqualTo(String.valueOf(WriteForms.MOST_IN_ONE + 1));
    }

    /** Killed while it waits for a row in the flush: the server has not come to the COMMIT, which nobody can tell. */
    @EveryStrategy
    void serverProcessThatIsEndedInTheFlushIsAnUnknownOutcome(LockStrategy strategy, Session holder, Session writer)
            throws Exception {
        holder.execute("insert into payment values (7)");
        Step<Void> step = writer.startAction(connection -> {
            locks(strategy).in(connection).lock(forUpdate(KEY));
            CommitWrites writes = new CommitWrites();
            writes.add(ADD, 1, 1);
            writes.add("insert into payment values (7)");
            locks(strategy).in(connection).commit(writes);
        });
        step.awaitBlockedBy(holder);
        writer.terminate();
        assertThat(step.failure()).isInstanceOf(CommitOutcomeUnknownException.class);
        assertThat(balance()).isEqualTo("0");
    }

    @EveryStrategy
    void aFlushThatIsCanceledHasStoredNothing(LockStrategy strategy, Session holder, Session writer) throws Exception {
        holder.execute("insert into payment values (7)");
        for (boolean behindLock : List.of(false, true)) {
            Step<Void> step = writer.startAction(connection -> {
                CommitWrites writes = new CommitWrites();
                writes.add(ADD, 1, 1).expectOneRow();
                writes.add("insert into payment values (7)");
                if (behindLock) {
                    on(locks(strategy), OneConnection.of(connection))
                            .lock(forUpdate(KEY))
                            .execute(writes);
                } else {
                    locks(strategy).in(connection).lock(forUpdate(KEY));
                    locks(strategy).in(connection).commit(writes);
                }
            });
            step.awaitBlockedBy(holder);
            writer.cancel();
            assertThat(step.failure())
                    .isInstanceOfAny(behindLock ? LockCanceledException.class : SQLException.class)
                    .hasMessageContaining("cancel");
            assertThat(balance()).isEqualTo("0");
        }
    }

    @EveryStrategy
    void writesThatDidNotWaitForTheStandbyAreToldToTheCaller(LockStrategy strategy) throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1);
                AbsentStandby absent = AbsentStandby.require(database)) {
            for (CommitWay way : WITH_WRITES) {
                Session runner = database.session("runner");
                Step<Void> step = runner.startAction(unused -> way.add(locks(strategy), pool, 1));
                absent.end("pg_cancel_backend");
                assertThat(step.failure())
                        .isInstanceOf(CommitOutcomeUnknownException.class)
                        .satisfies(state("RL001"))
                        .hasMessageContaining("visible");
            }
            absent.requireNoMore();
            assertThat(balance()).isEqualTo("2");
            for (CommitWay way : WITH_WRITES) {
                way.add(locks(strategy), pool, 1);
            }
            assertThat(balance()).isEqualTo("4");
        }
    }

    @EveryStrategy
    void commitThatDidNotWaitForTheStandbyIsToldToTheCaller(LockStrategy strategy) throws Exception {
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1);
                AbsentStandby absent = AbsentStandby.require(database)) {
            for (String end : List.of("pg_cancel_backend", "pg_terminate_backend")) {
                Session runner = database.session("runner");
                Step<Object> step = runner.start(unused ->
                        on(locks(strategy), pool).lock(forUpdate(KEY)).inTransaction(tx -> add(tx.connection())));
                absent.end(end);
                assertThat(step.failure())
                        .isExactlyInstanceOf(
                                end.startsWith("pg_cancel")
                                        ? CommitNotConfirmedException.class
                                        : CommitOutcomeUnknownException.class)
                        .isInstanceOfSatisfying(
                                CommitOutcomeUnknownException.class,
                                e -> assertThat(e.sqlState().orElseThrow())
                                        .matches(end.startsWith("pg_cancel") ? "RL001" : "08006|57P01"))
                        .hasMessageContainingAll("account[1]", "run it again");
            }
            absent.requireNoMore();
            // Both are visible, as they are committed on this server.
            assertThat(balance()).isEqualTo("2");
            // The warning is not found again on the pool's connection.
            on(locks(strategy), pool).lock(forUpdate(KEY)).inTransaction(tx -> add(tx.connection()));
            assertThat(balance()).isEqualTo("3");
        }
    }

    /** A cancel may come when the server has committed, and has not said so yet: its error is then no rollback. */
    @ParameterizedTest
    @EnumSource
    void whatACancelIsSaidToHaveUndoneIsNotStored(CommitWay way) throws Exception {
        RowLocks locks = locks(LockStrategy.ROW);
        assertUndoneIsNotStored(
                (from, id) -> way.add(locks, from, 1, "insert into payment values (" + id + ")"),
                CommitOutcomeTest::isUnknown);
    }

    private static boolean isUnknown(Exception e) {
        boolean unknown = e instanceof CommitOutcomeUnknownException;
        if (unknown) {
            // The driver may lose its place in the answers by a cancel.
            assertThat(e.getMessage())
                    .containsAnyOf("the server's answer does not say", "connection was lost while it committed");
        }
        return unknown;
    }

    /** By an early release, and by a commit that only confirms what it has read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatACancelOfACommitIsSaidToHaveUndoneIsNotStored(boolean wanted) throws Exception {
        EarlyRelease release = new EarlyRelease();
        assertUndoneIsNotStored(
                (from, id) -> {
                    try (Connection connection = begin(from)) {
                        // A cancel in front of BEGIN ends the driver's flush, and what is in that runs on.
                        execute(connection, "select");
                        execute(
                                connection,
                                "with paid as (insert into payment values (" + id + ")) update account set balance ="
                                        + " balance + 1 where id = 1");
                        try {
                            Commit.run(
                                    connection,
                                    null,
                                    List.of(),
                                    session -> release.ending(session, wanted),
                                    List.of(),
                                    false);
                        } catch (SQLException | RowlockException e) {
                            connection.rollback();
                            throw e;
                        }
                    }
                },
                e -> e instanceof CommitNotConfirmedException || e instanceof CommitOutcomeUnknownException);
    }

    /** @param isUnknown whether an exception says that it may be stored */
    private void assertUndoneIsNotStored(Payment adding, Predicate<Exception> isUnknown) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Map<Integer, Throwable> failures = new HashMap<>();
        int unknown = 0;
        try (HikariDataSource pool = Pools.of(database.dataSource(), 1)) {
            AtomicInteger server = new AtomicInteger(serverProcess(pool));
            Step<Void> canceller = database.session("canceller").startAction(connection -> {
                Random random = new Random();
                try (PreparedStatement cancel = connection.prepareStatement("select pg_cancel_backend(?)")) {
                    while (!over.get()) {
                        cancel.setInt(1, server.get());
                        cancel.executeQuery().close();
                        LockSupport.parkNanos(random.nextInt(400_000));
                    }
                }
            });
            for (int i = 0; i < 5_000; i++) {
                try {
                    adding.pay(pool, i);
                } catch (SQLException | RowlockException e) {
                    if (isUnknown.test(e)) {
                        unknown++;
                    } else {
                        failures.put(i, e);
                    }
                    // A cancel may hit the rollback as well: then the pool has made a connection anew.
                    server.set(serverProcess(pool));
                }
            }
            over.set(true);
            canceller.get();
        }
        assertThat(failures).isNotEmpty();
        String stored = "select coalesce(string_agg(id::text, ','), '') from payment where id in ("
                + failures.keySet().stream().map(String::valueOf).collect(Collectors.joining(",")) + ")";
        assertThat(database.query(stored)).as("stored though %s", failures).isEmpty();
        int done = Integer.parseInt(database.query("select count(*) from payment"));
        assertThat(done).isBetween(5_000 - failures.size() - unknown, 5_000 - failures.size());
        assertThat(balance()).isEqualTo(String.valueOf(done));
    }

    private static int serverProcess(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return connection.unwrap(PGConnection.class).getBackendPID();
        }
    }

    /** Committed here already: if its wait were ended it would be visible, and a failover could lose it. */
    @Test
    void aLostCommitThatWaitsForItsStandbyGoesOnWaiting() throws Exception {
        // Through the proxy, so that Rowlock has not asked this place yet.
        PGSimpleDataSource local = proxy.through(database.dataSource());
        local.setOptions("-c synchronous_commit=local");
        PGSimpleDataSource impatient = proxy.through(database.dataSource());
        impatient.setSocketTimeout(1);
        try (AbsentStandby absent = AbsentStandby.require(database)) {
            CommitWay.EXECUTE.add(locks(LockStrategy.ADVISORY), local, 1);
            assertUnknown(() -> CommitWay.EXECUTE.add(locks(LockStrategy.ADVISORY), impatient, 1));
            assertThat(database.query("select count(*) from pg_stat_activity where wait_event = 'SyncRep'"))
                    .isEqualTo("1");
            assertThat(balance()).isEqualTo("1");
            absent.requireNoMore();
        }
        TestDatabase.await().until(() -> balance().equals("2"));
    }

    /** What the server says, in a session that goes on, is an answer, whatever is its SQLSTATE. */
    @EveryStrategy
    void anErrorOfAnotherServersConnectionHasStoredNothing(LockStrategy strategy) throws Exception {
        for (String state : List.of("08006", "57P01", "57P02", "57P05", "25P03", "25P04")) {
            String raise = "do 'begin raise ''elsewhere'' using errcode = ''" + state + "''; end'";
            for (CommitWay way : WITH_WRITES) {
                assertThat(catchThrowable(() -> way.add(locks(strategy), database.dataSource(), 1, raise)))
                        .isInstanceOf(SQLException.class)
                        .satisfies(sqlState(state))
                        .hasMessageContaining("elsewhere");
            }
        }
        assertThat(balance()).isEqualTo("0");
    }

    @EveryStrategy
    void aSessionThatWasIdleForTooLongHasStoredNothing(RowLocks locks) throws Exception {
        Connection connection = database.dataSource().getConnection();
        execute(connection, "set idle_session_timeout = 1");
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        database.awaitEnd(pid);
        // From then on the table is known.
        on(locks, database.dataSource()).lock(forUpdate(KEY)).execute(ADD, 1, 1);
        assertThat(catchThrowable(() -> on(locks, OneConnection.of(connection))
                        .lock(forUpdate(KEY))
                        .execute(ADD, 1, 1)))
                .isExactlyInstanceOf(LockConnectionLostException.class)
                .hasMessageContaining("Nothing of the work");
        assertThat(balance()).isEqualTo("1");
    }

    /** Queries of Rowlock's own before the COMMIT are no part of it. */
    @Test
    void aConnectionLostInAQueryBeforeTheCommitHasStoredNothing() throws Exception {
        for (RowLocksBuilder builder : List.of(
                LockAccess.builder().largestGroup(2), LockAccess.builder().release(LockRelease.EARLY))) {
            Connection connection = database.dataSource().getConnection();
            assertRefusal(
                            LockConnectionLostException.class,
                            "57P01",
                            () -> on(builder.build(), lost(connection))
                                    .lock(forUpdate(KEY))
                                    .execute(ADD, 1, 1))
                    .hasMessageContaining("Nothing of the work under the lock of account[1]");
        }
        assertRefusal(
                        LockConnectionLostException.class,
                        "57P01",
                        () -> on(LockAccess.builder().release(LockRelease.EARLY).build(), database.dataSource())
                                .lock(forUpdate(KEY))
                                .inTransaction(tx -> {
                                    tx.atCommit(ADD, 1, 1);
                                    return lost(tx.connection());
                                }))
                .hasMessageContaining("Nothing of the work under the lock of account[1]");
        assertThat(balance()).isEqualTo("0");
    }

    private DataSource lost(Connection connection) throws SQLException {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        database.query("select pg_terminate_backend(" + pid + ")");
        database.awaitEnd(pid);
        return OneConnection.of(connection);
    }

    /** Its timer runs on into the COMMIT, and so it may have come behind it; but nothing is done later. */
    @EveryStrategy
    void aTransactionThatTookTooLongIsAnUnknownOutcomeThatIsFinal(LockStrategy strategy, Session holder)
            throws Exception {
        assumeTrue(database.isAtLeast(17), "transaction_timeout");
        lock(holder, locks(strategy), forUpdate(KEY));
        DataSource from = database.dataSourceWith("-c transaction_timeout=1000");
        assertThat(catchThrowable(() -> CommitWay.EXECUTE.add(locks(strategy), from, 1)))
                .isExactlyInstanceOf(CommitOutcomeUnknownException.class)
                .hasMessageContaining("the result of the check is final");
        holder.rollback();
        assertThat(balance()).isEqualTo("0");
    }

    /** The lock is had at once; its bound, or the session's, is not what ends the flush. */
    @EveryStrategy
    void aLockThatAWriteDoesNotGetIsNotBlamedOnTheLock(RowLocks locks, Session holder) throws Exception {
        database.execute("insert into payment values (7)");
        holder.execute("select from payment where id = 7 for update");
        DataSource from = database.dataSourceWith("-c lock_timeout=20");
        String waiting = "update payment set id = 8 where id = 7";
        String trying = "select from payment where id = 7 for update nowait";
        for (LockWait wait : List.of(LockWait.atMost(Duration.ofHours(1)), LockWait.NO_WAIT)) {
            assertLockNotAvailable(() ->
                    on(locks, from).lock(Requests.waiting(forUpdate(KEY), wait)).execute(waiting));
        }
        for (LockWait wait : List.of(LockWait.atMost(Duration.ofHours(1)), LockWait.FOREVER)) {
            assertLockNotAvailable(() ->
                    on(locks, from).lock(Requests.waiting(forUpdate(KEY), wait)).execute(trying));
        }
        assertThat(catchThrowable(() -> on(locks, from).lock(forUpdate(KEY)).execute(waiting)))
                .isExactlyInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("or for a lock that a write needs");
        lock(holder, locks, forUpdate(KEY));
        LockWait shortly = LockWait.atMost(Duration.ofMillis(20));
        assertThat(catchThrowable(() -> on(locks, database.dataSource())
                        .lock(Requests.waiting(forUpdate(KEY), shortly))
                        .execute(waiting)))
                .isExactlyInstanceOf(LockNotAvailableException.class)
                .hasMessageContaining("another transaction holds it.");
    }

    private static void assertLockNotAvailable(ThrowingCallable call) {
        assertThat(catchThrowable(call)).isNotInstanceOf(RowlockException.class).satisfies(sqlState("55P03"));
    }

    /** A warning of the work's own, raised as late as it can be, is none about the commit. */
    @Test
    void warningOfADeferredTriggerIsNotAnOutcome() throws Exception {
        database.execute(
                "create function warn() returns trigger language plpgsql as"
                        + " 'begin raise warning ''late''; return null; end'",
                "create constraint trigger warn after update on account deferrable initially deferred"
                        + " for each row execute function warn()");
        RowLocks.of(database.dataSource()).lock(forUpdate(KEY)).inTransaction(tx -> add(tx.connection()));
        assertThat(balance()).isEqualTo("1");
    }

    /** HikariCP takes its connection away for this SQLSTATE, which says nothing about the transaction. */
    @EveryStrategy
    void whatTheServerRefusesIsRefusedWhateverThePoolMakesOfIt(LockStrategy strategy) throws Exception {
        database.execute(
                "create function refuse() returns trigger language plpgsql as"
                        + " $$ begin raise 'not here' using errcode = 'feature_not_supported'; end $$",
                "create constraint trigger refuse after insert on payment deferrable initially deferred"
                        + " for each row execute function refuse()");
        String refused = "select distinct id from account for update";
        try (HikariDataSource pool = Pools.of(database.dataSource(), 2)) {
            for (CommitWay way : WITH_WRITES) {
                assertRefused(() -> way.add(locks(strategy), pool, 1, "insert into payment values (1)", refused));
                assertRefused(() -> way.add(locks(strategy), pool, 1, "insert into payment values (1)"));
            }
            assertRefused(() -> on(locks(strategy), pool).lock(forUpdate(KEY)).inTransaction(tx -> {
                execute(tx.connection(), "insert into payment values (1)");
                return null;
            }));
        }
        assertThat(database.query("select count(*) from payment")).isEqualTo("0");
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThat(catchThrowable(call)).satisfies(sqlState("0A000"));
    }

    /** The driver has seen the COMMIT leave and not its answer. */
    @EveryStrategy
    void whatTheDriverMakesOfAnAnswerIsAnUnknownOutcome(LockStrategy strategy) throws Exception {
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), 2));
        for (DataSource from : List.of(database.dataSource(), pool)) {
            for (CommitWay way : WITH_WRITES) {
                assertThat(catchThrowable(() -> way.add(locks(strategy), from, 1, "set client_encoding to latin1")))
                        .isExactlyInstanceOf(CommitOutcomeUnknownException.class);
            }
        }
    }

    @EveryStrategy
    void aValueThatTheDriverCannotSendIsItsErrorAndNothingIsSent(LockStrategy strategy) throws Exception {
        Session session = database.session("own");
        DataSource one = OneConnection.of(session.connection());
        for (Object value : List.of(Instant.now(), Duration.ZERO, LockStrategy.ROW, List.of(1))) {
            CommitWrites writes = new CommitWrites();
            writes.add("update account set balance = 1 where id = 1");
            writes.add("update account set balance = ? where id = 1", value);
            assertThatThrownBy(
                            () -> on(locks(strategy), one).lock(forUpdate(KEY)).execute(writes))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Can't infer the SQL type");
            assertThat(session.connection().isClosed()).isFalse();
        }
        assertThat(database.query("select balance from account")).isEqualTo("0");
    }

    /** In these isolation levels Rowlock sees the lock before it sends the COMMIT. */
    @ParameterizedTest
    @EnumSource(names = "BOTH")
    void aConnectionLostInTheWaitForTheLockHasStoredNothing(LockStrategy strategy, Session holder) throws Exception {
        Session writer = database.session(
                "writer", database.dataSourceWith("-c default_transaction_isolation=repeatable\\ read"));
        lock(holder, locks(strategy), forUpdate(KEY));
        Step<Void> step = writer.startAction(connection -> CommitWay.EXECUTE.add(
                locks(strategy), OneConnection.of(connection), 1, "insert into payment values (1)"));
        step.awaitBlockedBy(holder);
        writer.terminate();
        assertThat(step.failure()).isExactlyInstanceOf(LockConnectionLostException.class);
    }
}
