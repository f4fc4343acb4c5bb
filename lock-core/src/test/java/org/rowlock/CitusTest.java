package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.RowLockMode.FOR_UPDATE;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Citus, by its coordinator: what docs/where-it-holds.md says was run there. */
@EnabledIfSystemProperty(
        named = "rowlock.test.citus.url",
        matches = ".+",
        disabledReason = "skipped: give -Drowlock.test.citus.url=, a coordinator with workers")
class CitusTest {
    private static final LockKey KEY = LockKey.row("account", 1);
    private static final int CLIENTS = 6;
    private static final int CALLS = 40;

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            TestPostgres.at(System.getProperty("rowlock.test.citus.url", "")),
            "create table account(id int primary key, balance bigint not null default 0)",
            "select create_distributed_table('account', 'id')",
            "insert into account select generate_series(1, 9)");

    private static RowLocks locks(LockStrategy strategy) {
        return RowLocks.builder().strategy(strategy).build();
    }

    @Test
    void advisoryLocksAloneAreRefusedUnlessAllEnterByOneNode() {
        assertThatThrownBy(() -> locks(LockStrategy.ADVISORY).verify(database.dataSource()))
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContaining("Citus")
                .hasMessageContaining("singleEntryNode");
        RowLocks.builder()
                .strategy(LockStrategy.ADVISORY)
                .singleEntryNode(true)
                .build()
                .verify(database.dataSource());
        locks(LockStrategy.BOTH).verify(database.dataSource());
    }

    @ParameterizedTest
    @EnumSource
    void theNextWaitsAndReadsWhatTheHolderWrote(LockStrategy strategy) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        alice.run(c -> locks.in(c).lock(KEY));
        Step<List<Long>> bobs = bob.start(
                c -> locks.in(c).lockAndQuery(KEY, "select balance from account where id = 1", row -> row.getLong(1)));
        alice.execute("update account set balance = 5 where id = 1");
        assertThat(bobs.isDone()).isFalse();
        alice.commit();
        assertThat(bobs.get()).containsExactly(5L);
        bob.commit();
    }

    @Test
    void whoIsNotToWaitForBothGoesOn() throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        Session alice = database.session("alice");
        Session bob = database.session("bob");
        alice.run(c -> locks.in(c).lock(KEY));
        bob.execute("update account set balance = 1 where id = 2");
        assertThat((boolean) bob.run(c -> locks.in(c).tryLock(KEY))).isFalse();
        bob.commit();
        assertThat(database.query("select balance from account where id = 2")).isEqualTo("1");
        alice.rollback();
    }

    @Test
    void noUpdateIsLostWithBoth() throws Exception {
        RowLocks locks = locks(LockStrategy.BOTH);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(CLIENTS);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(clients.submit(() -> {
                    for (int call = 0; call < CALLS; call++) {
                        addOne(locks, pool);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(2 * TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(database.query("select balance from account where id = 1"))
                .isEqualTo(String.valueOf(CLIENTS * CALLS));
    }

    /** Without admission, so that they meet at the server. */
    private static void addOne(RowLocks locks, HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            long balance = locks.in(connection)
                    .lockAndQuery(
                            KEY,
                            FOR_UPDATE,
                            LockWait.forever(),
                            "select balance from account where id = 1",
                            row -> row.getLong(1))
                    .get(0);
            try (PreparedStatement update =
                    connection.prepareStatement("update account set balance = ? where id = 1")) {
                update.setLong(1, balance + 1);
                update.executeUpdate();
            }
            connection.commit();
        }
    }

    /** It takes some of its own for every write. */
    @Test
    void theInspectorShowsNothingOfCitusItself() throws Exception {
        Session alice = database.session("alice");
        alice.execute("update account set balance = 1 where id = 1");
        assertThat(database.query("select count(*) > 0 from pg_locks where locktype = 'advisory' and objsubid > 2"))
                .isEqualTo("t");
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(LockInspector.of(connection).all()).isEmpty();
        }
        alice.rollback();
    }
}
