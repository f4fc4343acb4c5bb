package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Locks.startLock;
import static org.rowlock.testing.Locks.tryLock;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Pools;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** The server crashes, is stopped or started again while locks are held and waited for: nothing stays locked. */
class ConnectionLossTest {
    private static final LockKey KEY = row("account", 1);
    private static final String ADD = "update account set balance = balance + 1 where id = 1 returning balance";
    private static final RowMapper<Long> BALANCE = row -> row.getLong(1);

    @TempDir
    static Path directory;

    @AutoClose("stop")
    private static TestPostgres server;

    private static int port;

    static {
        try {
            port = TestPostgres.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(server, 9);

    @BeforeAll
    static void start() {
        server = startServer();
    }

    private static TestPostgres startServer() {
        // What a test has committed is to be there after a crash, which embedded servers do not care for by default.
        return TestPostgres.embedded(Map.of("synchronous_commit", "on"), directory.resolve("data"), port);
    }

    /** A server process dies of a signal, and the postmaster ends all others and recovers. */
    private void crash(int pid) {
        ProcessHandle backend = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> all = backend.parent().orElseThrow().children().toList();
        backend.destroyForcibly();
        TestDatabase.await("the server's processes are gone")
                .until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
        awaitServer();
    }

    private static void stopAndStart() throws Exception {
        server.stop();
        server = startServer();
    }

    private void awaitServer() {
        TestDatabase.await("the server is back").until(() -> {
            try (Connection connection = database.dataSource().getConnection()) {
                return connection.isValid(1);
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private static void assertLost(Throwable failure) {
        assertThat(failure).isInstanceOf(LockConnectionLostException.class);
        assertThat(((RowlockException) failure).sqlState().orElseThrow()).matches("08...|57P0[12]");
        assertThat(failure).hasMessageContainingAll("account[1]", "connection");
    }

    private void assertFree(RowLocks locks) throws Exception {
        Session fresh = database.session("fresh");
        assertThat(tryLock(fresh, locks, forUpdate(KEY))).isTrue();
        fresh.rollback();
    }

    @EveryStrategy
    void serverCrashWhileWaiting(RowLocks locks, Session alice, Session bob, Session victim) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        Step<LockResult> step = startLock(bob, locks, forUpdate(KEY)).awaitBlockedBy(alice);
        crash(victim.pid());
        assertLost(step.failure());
        // The holder finds out at its next statement, and so nothing that it does counts.
        assertThatThrownBy(() -> alice.execute("update account set balance = 1 where id = 1"))
                .isInstanceOf(SQLException.class);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
        assertFree(locks);
    }

    @EveryStrategy.WithRow
    void serverCrashWhileWaitingInSerializable(RowLocks locks, Session alice, Session bob) throws Exception {
        bob.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        lock(alice, locks, forUpdate(KEY));
        Step<LockResult> step = startLock(bob, locks, forUpdate(KEY)).awaitBlockedBy(alice);
        crash(alice.pid());
        assertLost(step.failure());
        assertFree(locks);
    }

    @EveryStrategy
    void theWaitersOwnProcessDies(RowLocks locks, Session alice, Session bob) throws Exception {
        lock(alice, locks, forUpdate(KEY));
        Step<?> step = bob.start(c -> locks.in(c).lockAndRead(forUpdate(KEY), "select 1", row -> row.getInt(1)))
                .awaitBlockedBy(alice);
        crash(bob.pid());
        assertLost(step.failure());
        assertFree(locks);
    }

    @EveryStrategy
    void aLostConnectionIsToldByEveryCall(RowLocks locks) throws Exception {
        for (Session.Body<?> body : Doors.ofTable(locks, "account").values()) {
            for (boolean begun : List.of(true, false)) {
                Session alice = database.session("alice");
                if (begun) {
                    alice.execute("select 1");
                }
                alice.terminate();
                RowlockException failure = (RowlockException) alice.start(body).failure();
                assertThat(failure).isInstanceOf(LockConnectionLostException.class);
                assertThat(failure.sqlState().orElseThrow()).matches("08...|57P01");
                // From then on the driver knows.
                assertThatThrownBy(() -> alice.run(body)).isInstanceOf(RowlockException.class);
                alice.close();
            }
        }
    }

    @Test
    void serverStopWhileWaiting(Session alice, Session bob) throws Exception {
        RowLocks locks = LockAccess.builder().build();
        lock(alice, locks, forUpdate(KEY));
        Step<LockResult> step = startLock(bob, locks, forUpdate(KEY)).awaitBlockedBy(alice);
        stopAndStart();
        assertLost(step.failure());
        assertFree(locks);
    }

    @EveryStrategy
    void aPoolKeepsNoBrokenAndNoLockedConnection(RowLocks locks) throws Exception {
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), 3));
        Session watcher = database.session("watcher");
        lock(watcher, locks, forUpdate(row("account", 2)));
        // One holds, and waits for the watcher: its process dies in the wait.
        Session runner = database.session("runner");
        Step<Object> step =
                runner.start(unused -> on(locks, pool).lock(forUpdate(KEY)).inTransaction(tx -> {
                    locks.in(tx.connection()).lock(forUpdate(row("account", 2)));
                    return null;
                }));
        String waiting = "select coalesce(min(pid), 0) from pg_locks where not granted";
        TestDatabase.await().until(() -> !database.query(waiting).equals("0"));
        crash(Integer.parseInt(database.query(waiting)));
        assertThat(step.failure()).isInstanceOf(LockConnectionLostException.class);
        // The pool may lend each broken connection once more, since it checks none that was just in use.
        int lost = 0;
        for (long balance = 0; balance < 6; ) {
            try {
                balance = on(locks, pool)
                        .lock(forUpdate(KEY))
                        .inTransaction(tx -> locks.in(tx.connection()).lockAndRead(forUpdate(KEY), ADD, BALANCE))
                        .get(0);
            } catch (LockConnectionLostException e) {
                lost++;
            }
        }
        assertThat(lost).isLessThanOrEqualTo(pool.getMaximumPoolSize());
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("6");
        assertFree(locks);
    }
}
