package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockKey.rows;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Locks.on;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.commit.CommitWay;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgpool;
import org.rowlock.testing.Threads;

/** A Pgpool-II in front of a primary and its standby: reads may go elsewhere than the lock, and verify() sees it. */
@Tag("long")
class PgpoolTest {
    private static final int CONNECTIONS = 16;

    private static final LockKey KEY = LockKey.row("account", 1);

    @AutoClose
    private static StreamingPair servers;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                TestPgpool.program().isPresent(),
                "skipped: pgpool is not installed; with Debian's packages: apt-get install pgpool2");
        servers = StreamingPair.start();
        servers.primary()
                .execute(
                        "create table account(id int primary key, balance bigint not null)",
                        "insert into account values (1, 0), (2, 0)");
        servers.awaitReplay();
    }

    private static RowLocks locks(LockStrategy strategy) {
        return LockAccess.builder().strategy("account", strategy).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "dml_adaptive"})
    void readsThatGoElsewhereThanTheLockAreRefused(String mode) throws Exception {
        try (TestPgpool pooler = TestPgpool.start(servers, Map.of("disable_load_balance_on_write", mode))) {
            for (int i = 0; i < 20; i++) {
                LockStrategy strategy = LockStrategy.values()[i % LockStrategy.values().length];
                try (HikariDataSource pool = new HikariDataSource()) {
                    pool.setDataSource(pooler.dataSource());
                    // Each connection goes to one server by chance, and in a pool for good.
                    pool.setMaximumPoolSize(CONNECTIONS);
                    awaitFull(pool);
                    DataSource direct = pooler.dataSource();
                    assertThatThrownBy(() -> {
                                if (strategy == LockStrategy.BOTH) {
                                    LockAccess.of(locks(strategy)).verify(pool, CONNECTIONS);
                                } else {
                                    on(locks(strategy), direct).verify();
                                }
                            })
                            .isInstanceOf(LockVerificationException.class)
                            .hasMessageContainingAll("standby", "disable_load_balance_on_write");
                }
            }
        }
    }

    /** They say which functions write, whatever the catalog says of them. */
    @ParameterizedTest
    @CsvSource({
        "write_function_list, 'nextval,setval', false",
        "read_only_function_list, '.*', false",
        "write_function_list, 'nextval,setval,.*advisory.*', true"
    })
    void functionListsThatSendLocksElsewhereAreNamed(String name, String list, boolean passes) throws Exception {
        try (TestPgpool pooler = TestPgpool.start(servers, Map.of(name, list))) {
            DataSource dataSource = pooler.dataSource();
            if (passes) {
                on(locks(LockStrategy.ADVISORY), dataSource).verify();
                return;
            }
            assertThatThrownBy(
                            () -> on(locks(LockStrategy.ADVISORY), dataSource).verify())
                    .isInstanceOf(LockVerificationException.class)
                    .hasMessageContainingAll("standby", "write_function_list", "read_only_function_list");
        }
    }

    /**
     * With its shared cache of the catalog Pgpool-II looks a name up for one client while it keeps the cache from all
     * others: a client that waits for a row then waits for one that holds it and cannot go on.
     */
    @EveryStrategy.WithRow
    void withoutTheSharedCacheEarlyReleaseDoesNotFreeze(LockStrategy strategy) throws Exception {
        int clients = 4;
        int calls = 5;
        RowLocks locks = LockAccess.builder()
                .strategy(strategy)
                .release(LockRelease.EARLY)
                .build();
        try (TestPgpool pooler = TestPgpool.start(servers, Map.of("enable_shared_relcache", "off"))) {
            servers.primary().execute("update account set balance = 0");
            Threads.run(clients, number -> {
                for (int call = 0; call < calls; call++) {
                    CommitWay.EXECUTE.add(locks, pooler.dataSource(), 1);
                }
            });
            assertThat(servers.primary().query("select balance from account where id = 1"))
                    .isEqualTo(String.valueOf(clients * calls));
        }
    }

    /** Every form of the lock marks the transaction as one that writes, so that its reads go to the primary. */
    @EveryStrategy
    void readsThatFollowTheLockOfSeveralRowsGoToThePrimary(LockStrategy strategy) throws Exception {
        try (TestPgpool pooler = TestPgpool.start(servers, Map.of("backend_weight0", "0"));
                Connection connection = pooler.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (LockRequest request : List.of(forUpdate(rows("account", 1, 2)), forShare(rows("account", 1, 2)))) {
                for (LockRequest waiting : List.of(request, request.noWait(), request.atMost(TestDatabase.DEADLINE))) {
                    assertThat(locks(strategy)
                                    .in(connection)
                                    .lockAndRead(
                                            waiting,
                                            "select current_setting('in_hot_standby') from account where id = 1",
                                            String.class))
                            .containsExactly("off");
                    connection.rollback();
                }
            }
        }
    }

    private static void awaitFull(HikariDataSource pool) throws SQLException {
        pool.getConnection().close();
        TestDatabase.await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == CONNECTIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"transaction", "trans_transaction", "always"})
    void readsThatFollowTheLockPass(String mode) throws Exception {
        try (TestPgpool pooler = TestPgpool.start(servers, Map.of("disable_load_balance_on_write", mode));
                Connection alice = pooler.dataSource().getConnection();
                Connection bob = pooler.dataSource().getConnection()) {
            alice.setAutoCommit(false);
            bob.setAutoCommit(false);
            for (LockStrategy strategy : LockStrategy.values()) {
                RowLocks locks = locks(strategy);
                on(locks, pooler.dataSource()).verify();
                for (long balance = 1; balance < 4; balance++) {
                    locks.in(alice).lock(forUpdate(KEY));
                    assertThat(locks.in(bob).tryLock(forUpdate(KEY)).isHeld()).isFalse();
                    TestDatabase.execute(alice, "update account set balance = " + balance);
                    alice.commit();
                    assertThat(locks.in(bob)
                                    .lockAndRead(
                                            forUpdate(KEY),
                                            "select balance from account where id = 1",
                                            row -> row.getLong(1)))
                            .containsExactly(balance);
                    bob.rollback();
                }
            }
        }
    }
}
