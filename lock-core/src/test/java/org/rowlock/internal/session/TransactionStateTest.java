package org.rowlock.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.Claim;
import org.rowlock.CommitWrites;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** Connections and transactions that a lock cannot be taken in are refused, whichever way it is asked for. */
class TransactionStateTest {
    private static final LockKey KEY = row("account", 1);
    private static final RowMapper<Integer> ID = row -> row.getInt(1);

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(3);

    /** Every way to ask for a lock. */
    private static Map<String, Session.Body<?>> calls(RowLocks locks) {
        List<LockKey> keys = LockKey.rows("account", List.of(1, 2));
        return Map.of(
                "lock", c -> locks.in(c).lock(forUpdate(KEY)),
                "lock shared", c -> locks.in(c).lock(forShare(KEY)),
                "lock noWait", c -> locks.in(c).lock(forUpdate(KEY).noWait()),
                "tryLock", c -> locks.in(c).tryLock(forUpdate(KEY)).isHeld(),
                "tryLock atMost",
                        c -> locks.in(c)
                                .tryLock(forUpdate(KEY).atMost(Duration.ofSeconds(9)))
                                .isHeld(),
                "lockAll", c -> locks.in(c).lock(forUpdate(keys)),
                "tryLockAll", c -> locks.in(c).tryLock(forUpdate(keys)).isHeld(),
                "lockAll atMost", c -> locks.in(c).lock(forUpdate(keys).atMost(Duration.ofSeconds(9))),
                "lockAndRead", c -> locks.in(c).lockAndRead(forUpdate(KEY), "select id from account", ID),
                "claim", c -> locks.in(c).claim(Claim.from("account"), ID));
    }

    @FunctionalInterface
    private interface Check {
        void check(String call, Session.Body<?> body) throws Exception;
    }

    private static void forEachCall(LockStrategy strategy, Check check) throws Exception {
        RowLocks locks = LockAccess.builder().strategy(strategy).build();
        for (Map.Entry<String, Session.Body<?>> call : calls(locks).entrySet()) {
            check.check(strategy + " " + call.getKey(), call.getValue());
        }
    }

    private static LockTransactionException refusal(String call, Session.Body<?> body, Connection connection) {
        LockTransactionException refusal =
                catchThrowableOfType(LockTransactionException.class, () -> body.run(connection));
        assertThat(refusal).as(call).isNotNull();
        return refusal;
    }

    @Test
    void nullIsRefusedAtOnce() {
        assertThatThrownBy(() -> LockAccess.builder().build().in(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("connection is null");
    }

    @ParameterizedTest
    @EnumSource
    void closedConnectionIsRefused(LockStrategy strategy) throws Exception {
        Connection closed = database.dataSource().getConnection();
        closed.close();
        forEachCall(strategy, (call, body) -> {
            LockTransactionException refusal = refusal(call, body, closed);
            assertThat(refusal.sqlState()).as(call).contains("08003");
            assertThat(refusal).as(call).hasMessageContaining("closed").hasMessageContaining("open connection");
        });
    }

    @ParameterizedTest
    @EnumSource
    void autocommitIsRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            forEachCall(strategy, (call, body) -> {
                List<String> sent = new ArrayList<>();
                LockTransactionException refusal = refusal(call, body, Wire.listen(connection, sent));
                assertThat(refusal.sqlState()).as(call).contains("25P01");
                assertThat(refusal).as(call).hasMessageContaining("setAutoCommit(false)");
                assertThat(sent).as(call).isEmpty();
            });
        }
    }

    /** With it the driver asks the server what each statement returns before it sends the next. */
    @ParameterizedTest
    @EnumSource
    void aNegativePrepareThresholdIsRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        PGSimpleDataSource binary = database.dataSource();
        binary.setPrepareThreshold(-1);
        Session alice = database.session("alice", binary);
        forEachCall(strategy, (call, body) -> {
            List<String> sent = new ArrayList<>();
            LockTransactionException refusal = refusal(call, body, Wire.listen(alice.connection(), sent));
            assertThat(refusal.sqlState()).as(call).contains("55000");
            assertThat(refusal).as(call).hasMessageContaining("prepareThreshold");
            assertThat(sent).as(call).isEmpty();
        });
        assertThatThrownBy(() ->
                        RowLocks.builder(binary).strategy(strategy).build().verify())
                .hasMessageContaining("prepareThreshold");
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
        Step<?> commit = alice.start(c -> {
            LockAccess.builder().build().in(c).commit(writes);
            return null;
        });

        assertThat(commit.failure())
                .isInstanceOf(LockTransactionException.class)
                .hasMessageContaining("prepareThreshold=-1");
        assertThat(database.query("select count(*) from account where id = 7")).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    void abortedTransactionIsRefusedBeforeAnySql(LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        assertThatThrownBy(() -> alice.execute("select 1 / 0")).isInstanceOf(SQLException.class);
        forEachCall(strategy, (call, body) -> {
            List<String> sent = new ArrayList<>();
            LockTransactionException refusal = refusal(call, body, Wire.listen(alice.connection(), sent));
            assertThat(refusal.sqlState()).as(call).contains("25P02");
            assertThat(refusal.sqlState()).as(call).contains("25P02");
            assertThat(refusal).as(call).hasMessageContaining("roll back");
            assertThat(sent).as(call).isEmpty();
        });
        alice.rollback();
        RowLocks locks = LockAccess.builder().strategy(strategy).build();
        LockResult result = alice.run(c -> locks.in(c).lock(forUpdate(KEY)));
        assertThat(result.isHeld()).isTrue();
    }

    /** As FOR UPDATE does. Only where the check itself must raise, or the row lock does, is the transaction aborted. */
    @ParameterizedTest
    @EnumSource
    void readOnlyTransactionIsRefused(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.run(c -> {
                c.setReadOnly(true);
                return null;
            });
            assertReadOnlyRefused(alice, call, body);
        });
    }

    @ParameterizedTest
    @EnumSource
    void transactionThatMadeItselfReadOnlyIsRefused(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.execute("set transaction read only");
            assertReadOnlyRefused(alice, call, body);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatTurnedReadOnlyIsAPassingFault(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.execute("set default_transaction_read_only = on");
            alice.commit();
            assertReadOnlyRefused(alice, call, body, LockConnectionLostException.class, true);
        });
    }

    /** The driver sends it as the session's default, so the server reports it as it does that of a role. */
    @ParameterizedTest
    @EnumSource
    void aConnectionThatIsReadOnlyByTheApplicationIsNone(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.run(c -> {
                c.setReadOnly(true);
                return null;
            });
            alice.execute("set default_transaction_read_only = on");
            alice.commit();
            assertReadOnlyRefused(alice, call, body);
        });
    }

    @ParameterizedTest
    @EnumSource
    void readOnlyRepeatableReadIsRefused(LockStrategy strategy) throws Exception {
        forEachCall(strategy, (call, body) -> {
            Session alice = database.session(call);
            alice.connection().setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            alice.connection().setReadOnly(true);
            assertReadOnlyRefused(alice, call, body);
        });
    }

    private void assertReadOnlyRefused(Session session, String call, Session.Body<?> body) throws Exception {
        assertReadOnlyRefused(session, call, body, LockTransactionException.class, false);
    }

    private void assertReadOnlyRefused(
            Session session, String call, Session.Body<?> body, Class<? extends RowlockException> type, boolean passes)
            throws Exception {
        RowlockException refusal = catchThrowableOfType(type, () -> body.run(session.connection()));
        assertThat(refusal).as(call).isNotNull();
        assertThat(refusal.sqlState()).as(call).contains("25006");
        assertThat(refusal.isRetryable()).as(call).isEqualTo(passes);
        assertThat(refusal).as(call).hasMessageContaining(passes ? "default_transaction_read_only" : "read-write");
        assertThat(session.advisoryLocks()).as(call).isZero();
        session.rollback();
        // The session is as before: only its transactions are read-only.
        session.execute("select 1");
        session.rollback();
        session.close();
    }

    @Test
    void readOnlyTransactionStaysUsableAfterARefusalOfTheGuard() throws Exception {
        RowLocks locks = LockAccess.builder().strategy(LockStrategy.ADVISORY).build();
        Session alice = database.session("alice");
        alice.run(c -> {
            c.setReadOnly(true);
            return null;
        });
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

    @ParameterizedTest
    @EnumSource
    void connectionOfAnotherDriverIsRefused(LockStrategy strategy) throws Exception {
        Session alice = database.session("alice");
        forEachCall(strategy, (call, body) -> {
            LockTransactionException refusal = refusal(call, body, Wire.ofAnotherDriver(alice.connection()));
            assertThat(refusal.sqlState()).as(call).contains("0A000");
            assertThat(refusal).as(call).hasMessageContaining("org.postgresql:postgresql");
            alice.execute("select 1");
        });
    }

    /** A name has no row, so whatever the strategy it is refused in the same places. */
    @ParameterizedTest
    @EnumSource
    void namesAreRefusedInTheSamePlaces(LockStrategy strategy) throws Exception {
        RowLocks locks = LockAccess.builder().strategy(strategy).build();
        Session.Body<?> body = c -> locks.in(c).lock(forUpdate(LockKey.name("nightly")));
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(refusal("name", body, connection).sqlState()).contains("25P01");
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            assertThat(refusal("name", body, connection).sqlState()).contains("25006");
        }
    }
}
