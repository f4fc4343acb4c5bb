package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.LockKey.row;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.assertRefusal;
import static org.rowlock.testing.Refusals.retryable;
import static org.rowlock.testing.TestDatabase.begin;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.Doors;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.Held;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** A hot standby would grant advisory locks that exclude nobody on the primary; so every lock on one is refused. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
class HotStandbyTest {
    private static final LockKey KEY = row("account", 1);

    @TempDir
    static Path directory;

    @AutoClose("stop")
    private static TestPostgres standby;

    /** A server that was stopped in good order and starts again as a standby of nobody. */
    @BeforeAll
    static void start() throws Exception {
        Path data = directory.resolve("data");
        int port = TestPostgres.freePort();
        TestPostgres primary = TestPostgres.embedded(Map.of(), data, port);
        primary.execute("create table account(id int primary key)", "insert into account values (1), (2)");
        primary.stop();
        Files.createFile(data.resolve("standby.signal"));
        standby = TestPostgres.embedded(Map.of("hot_standby", "on"), data, port);
    }

    @Order(1)
    @EveryStrategy
    void everyLockIsRefused(RowLocks locks) throws Exception {
        for (int isolation : List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ)) {
            for (Session.Body<?> body : Doors.ofTable(locks, "account").values()) {
                try (Connection connection = begin(standby.dataSource())) {
                    connection.setTransactionIsolation(isolation);
                    assertRefused(connection, body);
                }
            }
        }
    }

    @Order(1)
    @Test
    void namesAreRefusedToo() throws Exception {
        try (Connection connection = begin(standby.dataSource())) {
            assertRefused(connection, c -> LockAccess.builder().build().in(c).lock(forUpdate(LockKey.name("nightly"))));
        }
    }

    @Order(1)
    @Test
    void verifyRefuses() {
        assertRefusal(
                        LockTransactionException.class,
                        "25006",
                        () -> RowLocks.of(standby.dataSource()).verify())
                .hasMessageContaining("hot standby");
    }

    /** The same connection, once its server has become the primary. */
    @Order(2)
    @Test
    void afterPromotionTheLockIsGranted() throws Exception {
        RowLocks locks = locks(LockStrategy.ADVISORY);
        try (Connection connection = begin(standby.dataSource())) {
            assertRefused(connection, c -> locks.in(c).lock(forUpdate(KEY)));
            standby.execute("select pg_promote()");
            TestDatabase.await()
                    .until(() -> standby.query("select pg_is_in_recovery()").equals("f"));
            assertThat(Held.of(locks.in(connection).lock(forUpdate(KEY)))).isEqualTo(Held.KEY_LOCKED);
            connection.rollback();
        }
        on(locks, standby.dataSource()).verify();
    }

    private static void assertRefused(Connection connection, Session.Body<?> body) throws SQLException {
        assertRefusal(LockConnectionLostException.class, "25006", () -> body.run(connection))
                .satisfies(retryable(true))
                .hasMessageContainingAll("hot standby", "primary");
        connection.rollback();
        assertThat(TestDatabase.query(connection, "select count(*) from pg_locks where locktype = 'advisory'"))
                .isEqualTo("0");
        connection.rollback();
    }
}
