package org.rowlock.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Refusals.assertRefusal;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockStrategy;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.ObservedDataSource;
import org.rowlock.testing.Pools;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDataSource;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Wire;

/** verify() passes where advisory locks exclude, and fails where they do not or cannot be tried. */
@Tag("long")
class VerifyTest {
    @AutoClose("stop")
    private static final TestPostgres SECOND = TestPostgres.embedded(Map.of());

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    private HikariDataSource pool(int size) {
        HikariDataSource pool = Pools.of(database.dataSource(), size);
        pool.setConnectionTimeout(250);
        return pool;
    }

    @EveryStrategy
    void passesOnARealServer(LockStrategy strategy) throws Exception {
        RowLocks.builder(database.dataSource()).strategy(strategy).build().verify();
        assertThat(locks()).isEqualTo("0");
    }

    /** The key of a configured table is of no row, and need not be an id as the table has them. */
    @ParameterizedTest
    @ValueSource(strings = {"text", "uuid", "date", "bytea", "name", "boolean", "float8"})
    void passesWhateverTheIdsOfTheTablesAre(String type) throws Exception {
        database.execute("create table item(id " + type + " primary key)");
        RowLocks.builder(database.dataSource())
                .strategy("item", LockStrategy.ROW)
                .build()
                .verify();
    }

    @Test
    void passesThroughAPoolAndGivesTheConnectionsBackAsTheyWere() throws Exception {
        HikariDataSource pool = database.closing(pool(2));
        for (int i = 0; i < 3; i++) {
            RowLocks.of(pool).verify();
        }
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            assertThat(one.getAutoCommit()).isTrue();
            assertThat(other.getAutoCommit()).isTrue();
            assertThat(locks()).isEqualTo("0");
        }
    }

    @Test
    void passesInEveryIsolationLevel() throws Exception {
        for (String level : new String[] {"repeatable read", "serializable"}) {
            RowLocks.of(database.dataSourceWith("-c default_transaction_isolation=" + level.replace(" ", "\\ ")))
                    .verify();
        }
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void passesWithATableThatTheRoleCannotSee() throws Exception {
        String hidden = database.schema() + "_hidden";
        database.execute("create schema " + hidden, "create table " + hidden + ".secret(id int primary key)");
        database.closing(() -> database.execute("drop schema " + hidden + " cascade"));
        RowLocks locks = LockAccess.builder()
                .strategy(hidden + ".secret", LockStrategy.BOTH)
                .build();
        on(locks, database.dataSourceOf(database.role())).verify();
    }

    /** As a planner that takes what it drops for idle: the statement answers as ever. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "pg_catalog.pg_advisory_xact_lock(t.root::integer, k.o); idle(t.root::integer, k.o); 14 of 18",
                "pg_catalog.pg_try_advisory_xact_lock(r.root::integer, k.o);"
                        + " idle(r.root::integer, k.o) is not null; 17 of 18"
            })
    void failsWhereAFormOfLockLocksNothing(String call, String dropped, String locked) throws Exception {
        database.execute(
                "create table item(id int primary key)",
                "create function idle(int, int) returns void language plpgsql as 'begin end'");
        DataSource idle = TestDataSource.of(() -> Wire.tap(database.dataSource().getConnection(), new Wire.Tap() {
            @Override
            public String send(int number, String sql) {
                return sql.replace(call, database.schema() + '.' + dropped);
            }
        }));
        RowLocks locks =
                LockAccess.builder().strategy("item", LockStrategy.ADVISORY).build();
        on(locks, database.dataSource()).verify();
        assertThatThrownBy(() -> on(locks, idle).verify())
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContainingAll(locked, "PostgreSQL");
    }

    @Test
    void failsWhereTheConnectionsLeadToSeveralServers() throws Exception {
        DataSource one = database.dataSource();
        PGSimpleDataSource other = SECOND.dataSource();
        AtomicInteger count = new AtomicInteger();
        DataSource sharded = TestDataSource.of(() -> (count.getAndIncrement() % 2 == 0 ? one : other).getConnection());
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> RowLocks.of(sharded).verify())
                    .isInstanceOf(LockVerificationException.class)
                    .hasMessageContainingAll("different servers [primary ", ":" + other.getPortNumbers()[0], "ROW");
        }
        assertThat(locks()).isEqualTo("0");
    }

    /** As with loadBalanceHosts: if the first two connections lead to the same server, the others tell. */
    @Test
    void failsAlwaysWhereEachConnectionLeadsToAServerByChance() throws Exception {
        DataSource one = database.dataSource();
        DataSource other = SECOND.dataSource();
        for (int i = 0; i < 20; i++) {
            Random random = new Random(i);
            DataSource balanced = TestDataSource.of(() -> (random.nextBoolean() ? one : other).getConnection());
            // Of a pool the connections are the same for every pair.
            try (HikariDataSource pool = Pools.of(balanced, 10)) {
                RowLocks locks = LockAccess.builder().build();
                boolean unpooled = i % 2 == 0;
                assertRefused(on(locks, unpooled ? balanced : pool), false)
                        .hasMessageContainingAll(
                                "different servers", ":" + SECOND.dataSource().getPortNumbers()[0]);
            }
        }
        assertThat(locks()).isEqualTo("0");
    }

    /** Any connection may lead there, also the first one, which holds what the others try. */
    @Test
    void aStandbyBehindTheSameUrlIsNamed() throws Exception {
        StreamingPair pair = database.closing(StreamingPair.start());
        DataSource primary = pair.primary().dataSource();
        DataSource standby = pair.standby().dataSource();
        for (int at : List.of(0, 1, 9, 15)) {
            AtomicInteger count = new AtomicInteger();
            DataSource mixed =
                    TestDataSource.of(() -> (count.getAndIncrement() % 16 == at ? standby : primary).getConnection());
            assertRefused(RowLocks.of(mixed), false)
                    .hasCauseInstanceOf(LockTransactionException.class)
                    .hasMessageContainingAll(
                            "different servers [primary ",
                            ", standby ",
                            ":" + pair.ports().get(1),
                            "targetServerType=primary");
            assertThat(count.get()).as("in one look").isEqualTo(16);
        }
        RowLocks.of(primary).verify();
    }

    /** A failover in the middle is no verdict, and the next look has one. */
    @Test
    void aConnectionThatIsLostMeanwhileIsRetryable() throws Exception {
        TcpProxy proxy = database.closing(TcpProxy.to(database.dataSource()));
        DataSource dataSource = proxy.through(database.dataSource());
        for (String statement : List.of("select extname", "pg_backend_pid", "pg_try_advisory")) {
            proxy.cutBefore(statement);
            assertRefused(RowLocks.of(dataSource), true);
            RowLocks.of(dataSource).verify();
        }
        assertThat(proxy.cuts()).isEqualTo(3);
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void connectionsThatAreLostAgainAndAgainSayNothingAboutTheLocks() throws Exception {
        TcpProxy proxy = database.closing(TcpProxy.to(database.dataSource()));
        PGSimpleDataSource through = proxy.through(database.dataSource());
        DataSource dataSource = TestDataSource.of(() -> {
            proxy.cutAfter("pg_try_advisory");
            return through.getConnection();
        });
        assertRefused(RowLocks.of(dataSource), true)
                .hasMessageContainingAll("proves nothing about the locks", "Try again");
    }

    @Test
    void locksAreTriedByTheKeyOfAConfiguredTable() throws Exception {
        database.execute("create table item(id int primary key)", "create view seen as select * from item");
        RowLocks locks = LockAccess.builder()
                .strategy("absent", LockStrategy.ADVISORY)
                .strategy("item", LockStrategy.BOTH)
                .strategy("seen", LockStrategy.ROW)
                .build();
        TcpProxy proxy = database.closing(TcpProxy.to(database.dataSource()));
        // Only the lock statement of a row of this table has this in it.
        proxy.cutBefore("from \"item\" for key share");
        assertThatThrownBy(() -> on(locks, proxy.through(database.dataSource())).verify())
                .isInstanceOf(LockVerificationException.class);
        assertThat(proxy.cuts()).isOne();
    }

    /** Known by the extension, as they call themselves PostgreSQL. Only their names are here, not they themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"citus", "bdr", "pgactive", "spock", "shardman"})
    void databasesOfSeveralMachinesAreRefusedForAdvisoryUnlessEnteredByOne(String extension) throws Exception {
        RowLocks advisory =
                LockAccess.builder().strategy("item", LockStrategy.ADVISORY).build();
        RowLocks declared = LockAccess.builder()
                .strategy("item", LockStrategy.ADVISORY)
                .singleEntryNode(true)
                .build();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table pg_dist_node(groupid int)");
            statement.execute("set allow_system_table_mods = on");
            statement.execute("insert into pg_extension select 4242, '" + extension
                    + "', 10, 'pg_catalog'::regnamespace, true, '1', null, null");
            try {
                if (extension.equals("citus")) {
                    // A coordinator without workers is one machine.
                    on(advisory, database.dataSource()).verify();
                    statement.execute("insert into pg_dist_node values (0), (1)");
                }
                assertThatThrownBy(() -> on(advisory, database.dataSource()).verify())
                        .isInstanceOf(LockVerificationException.class)
                        .hasMessageContainingAll("extension " + extension, "singleEntryNode(true)", "BOTH");
                on(declared, database.dataSource()).verify();
                RowLocks.of(database.dataSource()).verify();
            } finally {
                statement.execute("delete from pg_extension where oid = 4242");
            }
        }
    }

    @Test
    void aPoolThatIsUsedUpDelaysNobodyForLong() throws Exception {
        HikariDataSource pool = database.closing(Pools.of(database.dataSource(), 2));
        pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis() * 10);
        CompletableFuture.runAsync(() -> {
                    RowLocks.of(pool).verify();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                })
                .get(TestDatabase.DEADLINE.toSeconds(), TimeUnit.SECONDS);
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isZero();
    }

    @Test
    void aPoolThatHasFewerThanWasThoughtIsAskedForThemOnce() throws Exception {
        HikariDataSource pool = database.closing(pool(3));
        ObservedDataSource observed = new ObservedDataSource(pool);
        LockAccess.of(LockAccess.builder().build()).verify(observed, 7);
        assertThat(observed.mostOpen()).isEqualTo(3);
        assertThat(observed.borrowed()).as("in one look").isEqualTo(3);
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void aServerThatHangsIsWaitedForOnlyOnce() throws Exception {
        TcpProxy proxy = database.closing(TcpProxy.to(database.dataSource()));
        DataSource through = proxy.through(database.dataSource());
        ObservedDataSource observed =
                new ObservedDataSource(TestDataSource.of(() -> Wire.tap(through.getConnection(), new Wire.Tap() {
                    @Override
                    public void before(int number, String sql) {
                        if (sql.contains("pg_try_advisory")) {
                            proxy.freeze();
                        }
                    }
                })));
        assertRefused(RowLocks.of(observed), true).hasMessageContaining("proves nothing about the locks");
        assertThat(observed.borrowed()).as("in one attempt").isEqualTo(16);
        assertThat(observed.open()).isZero();
        proxy.cutAll();
    }

    @Test
    void aPoolOfOneConnectionIsTooSmall() throws Exception {
        HikariDataSource pool = database.closing(pool(1));
        assertThatThrownBy(() -> RowLocks.of(pool).verify())
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContaining("two connections");
        // And the one is back.
        assertThatCode(() -> pool.getConnection().close()).doesNotThrowAnyException();
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://localhost:1/postgres");
        assertThatThrownBy(() -> RowLocks.of(nowhere).verify())
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContainingAll("localhost:1", "check the server and its address");
    }

    @Test
    void readOnlyConnectionsAreRefused() throws Exception {
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setReadOnly(true);
        assertRefusal(
                LockTransactionException.class,
                "25006",
                () -> RowLocks.of(dataSource).verify());
        assertThat(locks()).isEqualTo("0");
    }

    @Test
    void aDataSourceThatGivesNothingIsRefused() {
        DataSource broken = TestDataSource.of(() -> {
            throw new SQLException("no more");
        });
        assertThatThrownBy(() -> RowLocks.of(broken).verify())
                .isInstanceOf(LockVerificationException.class)
                .hasMessageContaining("no more");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(RowLocks locks, boolean retryable) {
        return assertThatThrownBy(locks::verify)
                .isInstanceOfSatisfying(
                        LockVerificationException.class,
                        e -> assertThat(e.isRetryable()).isEqualTo(retryable));
    }

    private String locks() throws Exception {
        return database.query("select count(*) from pg_locks l join pg_stat_activity a using (pid)"
                + " where l.locktype = 'advisory' and a.application_name = '" + database.schema() + "'");
    }

    @Test
    void takesNoMoreConnectionsThanAreGivenToIt() {
        ObservedDataSource observed = new ObservedDataSource(database.dataSource());
        RowLocks.of(observed).verify();
        assertThat(observed.borrowed()).as("in one look").isEqualTo(16);
        assertThat(observed.mostOpen()).isEqualTo(16);
        LockAccess.of(LockAccess.builder().build()).verify(observed, 5);
        assertThat(observed.borrowed()).as("in a look of five more").isEqualTo(21);
        assertThat(observed.mostOpen()).isEqualTo(16);
        assertThat(observed.open()).isZero();
    }
}
