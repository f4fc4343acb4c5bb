package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Wire;

/** Whatever goes wrong at whichever step of the handover, no lock stays in the session. */
@Tag("long")
class HandoverFaultTest {
    private static final LockKey KEY = row("account", 1);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id int primary key, balance bigint not null default 0)",
            "insert into account select g from generate_series(1, 9) g");

    /** What goes wrong. */
    enum Fault {
        /** The statement is not sent: a pool or a proxy refuses. */
        NOT_SENT,
        /** The statement is done, and its result is lost. */
        RESULT_LOST,
        /** The statement is done, and a proxy around the connection fails. */
        RUNTIME_EXCEPTION,
        /** The statement is done, and the JVM has no more room. */
        ERROR,
        /** The server refuses the statement. */
        SERVER_BEFORE,
        /** The server does the statement and fails in the same round trip. */
        SERVER_AFTER,
        /** The server ends the session. */
        TERMINATED
    }

    /** Makes something go wrong at one statement. */
    private final class Trap implements Wire.Tap {
        private final Fault fault;
        private final int pid;
        private final int from;
        private final int to;
        private boolean sprung;

        Trap(Fault fault, int pid, int from, int to) {
            this.fault = fault;
            this.pid = pid;
            this.from = from;
            this.to = to;
        }

        private boolean springs(int number) {
            boolean springs = number >= from && number <= to;
            sprung |= springs;
            return springs;
        }

        @Override
        public String send(int number, String sql) {
            if (!springs(number)) {
                return sql;
            }
            return switch (fault) {
                case SERVER_BEFORE -> "select 1 / 0\n;" + sql;
                case SERVER_AFTER -> sql + "\n;select 1 / 0";
                default -> sql;
            };
        }

        @Override
        public void before(int number, String sql) throws SQLException {
            if (springs(number) && fault == Fault.NOT_SENT) {
                throw new SQLException("injected", "XX000");
            }
            if (springs(number) && fault == Fault.TERMINATED) {
                database.query("select pg_terminate_backend(" + pid + ")");
                Awaitility.await()
                        .atMost(TestDatabase.DEADLINE)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> database.query("select count(*) from pg_stat_activity where pid = " + pid)
                                .equals("0"));
            }
        }

        @Override
        public void after(int number, String sql) throws SQLException {
            if (springs(number)) {
                switch (fault) {
                    case RESULT_LOST -> throw new SQLException("injected", "XX000");
                    case RUNTIME_EXCEPTION -> throw new IllegalStateException("injected");
                    case ERROR -> throw new OutOfMemoryError("injected");
                    default -> {}
                }
            }
        }
    }

    private static Map<String, Session.Body<?>> calls(LockStrategy strategy) {
        // New for each call, so that the look-up of the primary key is among the steps.
        RowLocks locks = RowLocks.builder().strategy(strategy).build();
        List<LockKey> keys = LockKey.rows("account", List.of(2, 1));
        String sql = "select balance from account where id = ?";
        Map<String, Session.Body<?>> calls = new LinkedHashMap<>();
        calls.put("lock", c -> locks.in(c).lock(forUpdate(KEY)));
        calls.put(
                "lockAndQuery",
                c -> locks.in(c).lockAndQuery(forUpdate(KEY), LockedQuery.of(sql, row -> row.getLong(1), 1)));
        if (strategy == LockStrategy.BOTH) {
            return calls;
        }
        calls.put("lockAll", c -> locks.in(c).lock(forShare(keys).atMost(Duration.ofMinutes(1))));
        calls.put("tryLock", c -> locks.in(c).tryLock(forUpdate(KEY)).isLocked());
        return calls;
    }

    @ParameterizedTest
    @EnumSource
    void nothingStaysLockedAfterAFaultAtAnyStep(Fault fault) throws Exception {
        for (LockStrategy strategy : List.of(LockStrategy.ADVISORY, LockStrategy.BOTH)) {
            for (String call : calls(strategy).keySet()) {
                int step = 1;
                while (isSprung(fault, step, step, strategy, call)) {
                    step++;
                }
                assertThat(step).as("steps of " + call).isGreaterThan(3);
            }
        }
    }

    /**
     * If the session lock cannot be let go of either, the connection must not go back into a pool as if it were well.
     */
    @ParameterizedTest
    @EnumSource(names = {"NOT_SENT", "RESULT_LOST", "RUNTIME_EXCEPTION", "SERVER_BEFORE", "SERVER_AFTER"})
    void nothingStaysLockedWhenTheCleanUpFailsToo(Fault fault) throws Exception {
        for (LockStrategy strategy : List.of(LockStrategy.ADVISORY, LockStrategy.BOTH)) {
            for (String call : calls(strategy).keySet()) {
                int step = 1;
                while (isSprung(fault, step, step + 1, strategy, call)) {
                    step++;
                }
            }
        }
    }

    /** Runs a call with a trap at some steps, and checks what is left. */
    private boolean isSprung(Fault fault, int from, int to, LockStrategy strategy, String call) throws Exception {
        String what = fault + " at " + from + " to " + to + " of " + call + ' ' + strategy;
        Throwable failure = null;
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            int pid = connection.unwrap(PGConnection.class).getBackendPID();
            Trap trap = new Trap(fault, pid, from, to);
            try {
                calls(strategy).get(call).run(Wire.tap(connection, trap));
            } catch (Exception | OutOfMemoryError e) {
                failure = e;
            }
            assertThat(failure == null || trap.sprung).as(what + ": " + failure).isTrue();
            if (fault == Fault.TERMINATED && trap.sprung) {
                assertThat(stateOf(failure)).as(what + ": " + failure).matches("57P01|08...");
            } else if (!connection.isClosed()) {
                connection.rollback();
                assertReusable(what, connection);
            }
            Awaitility.await(what)
                    .atMost(TestDatabase.DEADLINE)
                    .pollInterval(Duration.ofMillis(5))
                    .untilAsserted(() -> assertThat(locksOf(pid)).as(what).isEqualTo("0"));
            return trap.sprung;
        }
    }

    private void assertReusable(String what, Connection connection) throws Exception {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        assertThat(locksOf(pid)).as(what).isEqualTo("0");
        assertThat(text(connection, "show transaction_isolation")).as(what).isEqualTo("repeatable read");
        assertThat(text(connection, "show lock_timeout")).as(what).isEqualTo("0");
        connection.rollback();
        calls(LockStrategy.BOTH).get("lock").run(connection);
        assertThat(locksOf(pid)).as(what).isEqualTo("1");
        connection.commit();
    }

    private static String stateOf(Throwable failure) {
        return failure instanceof RowlockException e
                ? e.sqlState().orElse("none")
                : failure instanceof SQLException e ? e.getSQLState() : "none";
    }

    private String locksOf(int pid) throws SQLException {
        return database.query("select count(*) from pg_locks where locktype = 'advisory' and pid = " + pid);
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** As for an error behind that of the guard, say of a session that was ended just then. */
    @Test
    void aConnectionThatThePoolClosesInBetweenIsLostAndNothingIsStored() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(1);
            pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
            pool.setExceptionOverride(new SQLExceptionOverride() {
                @java.lang.Override
                public Override adjudicate(SQLException e) {
                    return Override.MUST_EVICT;
                }
            });
            CommitWrites writes = new CommitWrites();
            writes.add("update account set balance = 1 where id = 1");
            RowLocks locks = RowLocks.builder().strategy(LockStrategy.BOTH).build();
            assertThatThrownBy(() -> locks.execute(pool, forUpdate(KEY), writes))
                    .isInstanceOfSatisfying(
                            LockConnectionLostException.class,
                            e -> assertThat(e.sqlState()).contains("08003"));
        }
    }
}
