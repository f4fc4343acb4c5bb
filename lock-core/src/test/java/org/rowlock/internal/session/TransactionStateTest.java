package org.rowlock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.assertIllegal;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.retryable;
import static org.rowlock.testing.Refusals.state;
import static org.rowlock.testing.TestDatabase.begin;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.CommitWrites;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Proxies;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** Connections and transactions that a lock cannot be taken in are refused, whichever way it is asked for. */
class TransactionStateTest {
    private static final LockKey KEY = row("account", 1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(3);

    @FunctionalInterface
    private interface Check {
        void check(String call, Session.Body<?> body) throws Exception;
    }

    private static void forEachCall(LockStrategy strategy, Check check) throws Exception {
        for (Map.Entry<String, Session.Body<?>> call :
                Doors.ofTable(locks(strategy), "account").entrySet()) {
            check.check(strategy + " " + call.getKey(), call.getValue());
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            String call, Session.Body<?> body, Connection connection, String state) {
        return assertThatThrownBy(() -> body.run(connection))
                .as(call)
                .isInstanceOf(LockTransactionException.class)
                .satisfies(state(state));
    }

    @Test
    void nullIsRefusedAtOnce() {
        assertIllegal(() -> LockAccess.builder().build().in(null), "connection is null");
    }

    @EveryStrategy
    void closedConnectionIsRefused(LockStrategy strategy) throws Exception {
        Connection closed = database.dataSource().getConnection();
        closed.close();
        forEachCall(
                strategy,
                (call, body) -> assertRefused(call, body, closed, "08003")
                        .hasMessageContainingAll("closed", "open connection"));
    }

    private static void assertRefusedBeforeAnySql(
            LockStrategy strategy, Connection connection, String state, String words) throws Exception {
        forEachCall(strategy, (call, body) -> {
            List<String> sent = new ArrayList<>();
            assertRefused(call, body, Wire.listen(connection, sent), state).hasMessageContaining(words);
            assertThat(sent).as(call).isEmpty();
        });
    }

    @EveryStrategy
    void autocommitIsRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        Connection connection = database.closing(database.dataSource().getConnection());
        assertRefusedBeforeAnySql(strategy, connection, "25P01", "gone at once; call setAutoCommit(false)");
        // The driver's own XA connection begins a branch in the same way.
        connection.createStatement().execute("begin");
        assertRefusedBeforeAnySql(strategy, connection, "25P01", "BEGIN in SQL or XA has begun a transaction");
    }

    /** With it the driver asks the server what each statement returns before it sends the next. */
    @EveryStrategy
    void aNegativePrepareThresholdIsRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        PGSimpleDataSource binary = database.dataSource();
        binary.setPrepareThreshold(-1);
        Session alice = database.session("alice", binary);
        assertRefusedBeforeAnySql(strategy, alice.connection(), "55000", "prepareThreshold");
        assertThatThrownBy(() -> on(locks(strategy), binary).verify()).hasMessageContaining("prepareThreshold");
    }

    /** With it a count is read from another statement's result, behind a COMMIT that is done. */
    @Test
    void writesAreNotSentWithANegativePrepareThreshold() throws Exception {
        PGSimpleDataSource binary = database.dataSource();
        binary.setPrepareThreshold(-1);
        Session alice = database.session("alice", binary);
        CommitWrites writes = new CommitWrites();
        writes.add("insert into account values (7)");
        writes.add("update account set id = id where id = 1 returning 5").expectOneRow();
        Step<?> commit =
                alice.startAction(c -> LockAccess.builder().build().in(c).commit(writes));

        assertThat(commit.failure())
                .isInstanceOf(LockTransactionException.class)
                .hasMessageContaining("prepareThreshold=-1");
        assertThat(database.query("select count(*) from account where id = 7")).isEqualTo("0");
    }

    @EveryStrategy
    void abortedTransactionIsRefusedBeforeAnySql(LockStrategy strategy, RowLocks locks, Session alice)
            throws Exception {
        assertThatThrownBy(() -> alice.execute("select 1 / 0")).isInstanceOf(SQLException.class);
        assertRefusedBeforeAnySql(strategy, alice.connection(), "25P02", "roll back");
        alice.rollback();
        LockResult result = lock(alice, locks, forUpdate(KEY));
        assertThat(result.isHeld()).isTrue();
    }

    /** As FOR UPDATE does. Only where the check itself must raise, or the row lock does, is the transaction aborted. */
    @EveryStrategy
    void readOnlyTransactionIsRefused(LockStrategy strategy) throws Exception {
        Map<String, Session.Body<?>> ways = Map.of(
                "by the connection", TransactionStateTest::setReadOnly,
                "by itself", c -> execute(c, "set transaction read only"),
                "at repeatable read",
                        c -> {
                            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                            return setReadOnly(c);
                        },
                // The driver sends it as the session's default, so the server reports it as it does that of a role.
                "by the session", c -> execute(setReadOnly(c), "set default_transaction_read_only = on; commit"));
        for (Map.Entry<String, Session.Body<?>> way : ways.entrySet()) {
            forEachCall(strategy, (call, body) -> {
                Session alice = database.session(call);
                alice.run(way.getValue());
                assertReadOnlyRefused(alice, call + ' ' + way.getKey(), body);
            });
        }
    }

    private static Connection setReadOnly(Connection connection) throws SQLException {
        connection.setReadOnly(true);
        return connection;
    }

    private static Connection execute(Connection connection, String sql) throws SQLException {
        TestDatabase.execute(connection, sql);
        return connection;
    }

    @EveryStrategy
    void aServerThatTurnedReadOnlyIsAPassingFault(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.execute("set default_transaction_read_only = on");
            alice.commit();
            assertReadOnlyRefused(alice, call, body, LockConnectionLostException.class, true);
        });
    }

    private void assertReadOnlyRefused(Session session, String call, Session.Body<?> body) throws Exception {
        assertReadOnlyRefused(session, call, body, LockTransactionException.class, false);
    }

    private void assertReadOnlyRefused(
            Session session, String call, Session.Body<?> body, Class<? extends RowlockException> type, boolean passes)
            throws Exception {
        assertThatThrownBy(() -> body.run(session.connection()))
                .as(call)
                .isInstanceOf(type)
                .satisfies(state("25006"))
                .satisfies(retryable(passes))
                .hasMessageContaining(passes ? "default_transaction_read_only" : "read-write");
        assertThat(session.advisoryLocks()).as(call).isZero();
        session.rollback();
        // The session is as before: only its transactions are read-only.
        session.execute("select 1");
        session.rollback();
        session.close();
    }

    @Test
    void readOnlyTransactionStaysUsableAfterARefusalOfTheGuard(Session alice) throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        alice.connection().setReadOnly(true);
        alice.execute("select 1");
        for (Session.Body<?> body : List.<Session.Body<?>>of(
                c -> locks.in(c).lock(forUpdate(KEY)),
                c -> locks.in(c).tryLock(forUpdate(KEY)).isHeld(),
                c -> locks.in(c)
                        .tryLock(forUpdate(KEY).atMost(Duration.ofSeconds(9)))
                        .isHeld(),
                c -> locks.in(c)
                        .tryLock(forUpdate(LockKey.rows("account", List.of(1, 2))))
                        .isHeld())) {
            assertThatThrownBy(() -> alice.run(body)).isInstanceOf(LockTransactionException.class);
            alice.execute("select id from account");
        }
    }

    @EveryStrategy
    void connectionOfAnotherDriverIsRefused(LockStrategy strategy, Session alice) throws Exception {
        forEachCall(strategy, (call, body) -> {
            assertRefused(call, body, Wire.ofAnotherDriver(alice.connection()), "0A000")
                    .hasMessageContaining("org.postgresql:postgresql");
            alice.execute("select 1");
        });
    }

    /** A name has no row, so whatever the strategy it is refused in the same places. */
    @EveryStrategy
    void namesAreRefusedInTheSamePlaces(RowLocks locks) throws Exception {
        Session.Body<?> body = c -> locks.in(c).lock(forUpdate(LockKey.name("nightly")));
        Connection connection = database.closing(database.dataSource().getConnection());
        assertRefused("name", body, connection, "25P01");
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        assertRefused("name", body, connection, "25006");
    }

    /** A wait ran out, and the connection is lost before the transaction has been made usable again. */
    @EveryStrategy
    void lostConnectionIsNotReportedAsAUsableTransaction(RowLocks locks, Session holder) throws Exception {
        lock(holder, locks, forUpdate(KEY));
        ObservedDataSource dataSource = new ObservedDataSource(database.dataSource());
        Connection connection = database.closing(begin(dataSource));
        dataSource.fail("createStatement", new SQLException("An I/O error occurred", "08006"));
        assertThatThrownBy(() -> locks.in(connection)
                        .tryLock(forUpdate(KEY).atMost(Duration.ofMillis(20)))
                        .isHeld())
                .isInstanceOf(LockConnectionLostException.class);
    }

    /** The cancel arrives before the savepoint is set, so there is no savepoint to roll back to. */
    @Test
    void aCancelOfTheQueryForRowLocksIsTold(Session alice) throws Exception {
        alice.execute("set local statement_timeout = '2s'");
        Connection connection = alice.connection();
        PgSession session = PgSession.of(Proxies.of(Connection.class, (proxy, method, arguments) -> {
            Object made = Proxies.call(connection, method, arguments);
            return !(made instanceof Statement statement)
                    ? made
                    : Proxies.of(Statement.class, (wrapper, call, values) -> {
                        boolean isQuery = values != null && WaitSql.IDLE_MILLIS.equals(values[0]);
                        return Proxies.call(statement, call, isQuery ? new Object[] {"select pg_sleep(600)"} : values);
                    });
        }));
        assertThatThrownBy(() -> FlushRunner.longestIdleNanos(session)).satisfies(sqlState("57014"));
        assertThat(session.isAborted()).isTrue();
    }
}
