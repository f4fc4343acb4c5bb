package org.rowlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.rowlock.LockRequest.forShare;
import static org.rowlock.LockRequest.forUpdate;
import static org.rowlock.testing.Failures.sqlState;
import static org.rowlock.testing.Locks.lock;
import static org.rowlock.testing.Locks.locks;
import static org.rowlock.testing.Locks.on;
import static org.rowlock.testing.Locks.tryLock;
import static org.rowlock.testing.Refusals.retryable;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.Claim;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.CommitWrites;
import org.rowlock.LockKey;
import org.rowlock.LockResult;
import org.rowlock.LockStrategy;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.RowLocksBuilder.LockRelease;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.testing.EveryStrategy;
import org.rowlock.testing.OneConnection;
import org.rowlock.testing.Pools;
import org.rowlock.testing.RoundTripCounter;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgBouncer;
import org.rowlock.testing.Threads;

/** A PgBouncer in transaction mode in front of the server: a lock lasts as long as its transaction does there too. */
@Tag("long")
class PgBouncerTest {
    private static final RowMapper<Long> BALANCE = row -> row.getLong(1);

    @AutoClose
    private static TestPgBouncer bouncer;

    @AutoClose
    private static TestPgBouncer repeatableRead;

    private static boolean preparesStatements;

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(9);

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(
                TestPgBouncer.program().isPresent(),
                "skipped: pgbouncer is not installed; with Debian's packages: apt-get install pgbouncer");
        int[] version = TestPgBouncer.version();
        preparesStatements = version[0] > 1 || version[1] >= 21;
        Map<String, String> settings = preparesStatements
                ? Map.of("default_pool_size", "4", "max_prepared_statements", "100")
                : Map.of("default_pool_size", "4");
        bouncer = TestPgBouncer.start("transaction", "", settings);
        // What a client sets for its session would stay with the server connection, for others to find.
        repeatableRead = TestPgBouncer.start(
                "transaction",
                "select set_config($$default_transaction_isolation$$, $$repeatable read$$, false)",
                settings);
    }

    static Stream<Arguments> strategiesAndThresholds() {
        return Stream.of(LockStrategy.values())
                .flatMap(strategy -> Stream.of(0, 5).map(threshold -> Arguments.of(strategy, threshold)));
    }

    /** Before 1.21 PgBouncer knows no prepared statements, and the driver must make none. */
    private PGSimpleDataSource dataSource(TestPgBouncer bouncer, int prepareThreshold) {
        assumeTrue(
                prepareThreshold == 0 || preparesStatements,
                "skipped: this PgBouncer is older than 1.21 and needs prepareThreshold=0");
        PGSimpleDataSource dataSource = bouncer.dataSource();
        dataSource.setPrepareThreshold(prepareThreshold);
        dataSource.setApplicationName(database.schema());
        return dataSource;
    }

    private LockKey account(int id) {
        return LockKey.row(database.schema() + ".account", id);
    }

    private String read() {
        return "select balance from " + database.schema() + ".account where id = 1";
    }

    /** The pooler knows no cancel request of a client that is gone, but closes a connection, as the server sees. */
    @EveryStrategy
    void whatWaitsForALostClientIsEnded(RowLocks locks, Session holder) throws Exception {
        PGSimpleDataSource from = dataSource(bouncer, 0);
        from.setSocketTimeout(1);
        String write = "update " + database.schema() + ".account set balance = balance + 1 where id = 1";
        lock(holder, locks, forUpdate(account(1)));
        assertThatThrownBy(() -> on(locks, from).lock(forUpdate(account(1))).execute(write))
                .isExactlyInstanceOf(CommitOutcomeUnknownException.class);
        assertThat(database.query("select count(*) from pg_locks where not granted"))
                .isEqualTo("0");
        holder.rollback();
        assertThat(database.query(read())).isEqualTo("0");
    }

    /** Locks of the table's rows in any server connection, the pool's idle ones too. */
    private String locksOnTheServer() throws Exception {
        return database.query(
                "select count(*) from pg_locks where locktype = 'advisory' and classid = 'account'::regclass");
    }

    @ParameterizedTest
    @MethodSource("strategiesAndThresholds")
    void locksExcludeAndReadsAreFresh(LockStrategy strategy, int threshold) throws Exception {
        RowLocks locks = locks(strategy);
        Session alice = database.session("alice", dataSource(bouncer, threshold));
        Session bob = database.session("bob", dataSource(bouncer, threshold));
        for (int i = 1; i <= 7; i++) {
            lock(alice, locks, forUpdate(account(1)));
            assertThat(tryLock(bob, locks, forUpdate(account(1)))).isFalse();
            assertThat(tryLock(bob, locks, forUpdate(account(1)).atMost(Duration.ofMillis(10))))
                    .isFalse();
            assertThat(tryLock(bob, locks, forUpdate(account(2)))).isTrue();
            bob.commit();
            assertThat(tryLock(bob, locks, forUpdate(List.of(account(2), account(1)))))
                    .isFalse();
            bob.rollback();
            Step<List<Long>> step = bob.start(c -> locks.in(c).lockAndRead(forUpdate(account(1)), read(), BALANCE));
            awaitBlockedBy(serverProcess(alice), step);
            alice.execute("update " + database.schema() + ".account set balance = " + i + " where id = 1");
            alice.commit();
            assertThat(step.get()).containsExactly((long) i);
            bob.commit();
        }
        LockResult all = lock(
                alice,
                locks,
                forShare(List.of(account(3), account(1), account(2))).noWait());
        assertThat(all.absentRows()).isEmpty();
        alice.commit();
        Claim claim = Claim.from(database.schema() + ".account").orderBy("id").limit(3);
        List<Integer> alices = alice.run(c -> locks.in(c).claim(claim, row -> row.getInt("id")));
        assertThat(alices).containsExactly(1, 2, 3);
        List<Integer> bobs = bob.run(c -> locks.in(c).claim(claim, row -> row.getInt("id")));
        assertThat(bobs).containsExactly(4, 5, 6);
        alice.commit();
        bob.commit();
        assertThat(locksOnTheServer()).isEqualTo("0");
    }

    /**
     * In the flush with the COMMIT too the server connection is the transaction's own, and free for others afterwards.
     */
    @ParameterizedTest
    @MethodSource("strategiesAndThresholds")
    void writesGoWithTheCommit(LockStrategy strategy, int threshold) throws Exception {
        RowLocks locks = locks(strategy);
        String add = "update " + database.schema() + ".account set balance = balance + ? where id = ?";
        BoundQuery<Long> query = BoundQuery.of(read(), BALANCE);
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> traffic = startTraffic(over);
        try (Connection connection = dataSource(bouncer, threshold).getConnection()) {
            DataSource one = OneConnection.of(connection);
            for (int i = 1; i <= 7; i++) {
                long before = 2L * (i - 1);
                on(locks, one)
                        .lock(forUpdate(account(1)))
                        .read(query.sql(), query.mapper())
                        .inTransaction(tx -> {
                            assertThat(tx.rows()).containsExactly(before);
                            return tx.atCommit(add, 1, 1).expectOneRow();
                        });
                CommitWrites writes = new CommitWrites();
                writes.add(add, 1, 1).expectOneRow();
                on(locks, one).lock(forUpdate(account(1))).execute(writes);
                CommitWrites wrong = new CommitWrites();
                wrong.add(add, 1, 1).expectOneRow();
                wrong.add(add, 1, 77).expectOneRow();
                assertThatThrownBy(
                                () -> on(locks, one).lock(forUpdate(account(1))).execute(wrong))
                        .isInstanceOf(UnexpectedRowCountException.class);
                assertThat(connection.getAutoCommit()).isTrue();
            }
        } finally {
            over.set(true);
        }
        assertThat(TestDatabase.result(traffic)).isNotNegative();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("14");
        assertThat(locksOnTheServer()).isEqualTo("0");
    }

    static Stream<Arguments> modesAndThresholds() {
        return Stream.of("extended", "simple")
                .flatMap(mode -> Stream.of(0, 1, 5).map(threshold -> Arguments.of(mode, threshold)));
    }

    /** What is behind an early COMMIT comes by the same server connection, or it would take a round trip more. */
    @ParameterizedTest
    @MethodSource("modesAndThresholds")
    void earlyCommitsAreConfirmedInOneRoundTrip(String mode, int threshold) throws Exception {
        RowLocks locks = LockAccess.builder()
                .strategy(LockStrategy.ADVISORY)
                .release(LockRelease.EARLY)
                .build();
        database.execute("create table child(account int references account deferrable initially deferred)");
        String add = "update " + database.schema() + ".account set balance = balance + 1 where id = 1";
        String orphan = "insert into " + database.schema() + ".child values (99)";
        PGSimpleDataSource dataSource = dataSource(bouncer, threshold);
        DriverModesTest.set(dataSource, "preferQueryMode=" + mode);
        dataSource.setSocketFactory(RoundTripCounter.class.getName());
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> traffic = startTraffic(over);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 1; i <= 14; i++) {
                statement.execute("set local synchronous_commit = " + (i % 2 == 0 ? "local" : "on"));
                statement.execute(add);
                int before = RoundTripCounter.counted();
                locks.in(connection).commit(new CommitWrites());
                // The first asks what the server can.
                assertThat(RoundTripCounter.counted() - before).isBetween(1, i == 1 ? 2 : 1);
                statement.execute(orphan);
                assertThatThrownBy(() -> locks.in(connection).commit(new CommitWrites()))
                        .satisfies(sqlState("23503"));
            }
        } finally {
            over.set(true);
        }
        assertThat(TestDatabase.result(traffic)).isNotNegative();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("14");
    }

    /** The server process of a session, which is its own only as long as its transaction lasts. */
    private static int serverProcess(Session session) throws Exception {
        return session.run(c -> Integer.parseInt(TestDatabase.query(c, "select pg_backend_pid()")));
    }

    private void awaitBlockedBy(int process, Step<?> step) {
        TestDatabase.await("a step waits on the server")
                .failFast("it did not have to wait", step::isDone)
                .until(() -> database.query("select count(*) from pg_stat_activity where " + process
                                + " = any(pg_blocking_pids(pid))")
                        .equals("1"));
    }

    /** Another client keeps taking a server connection for a moment, and tells how often it has. */
    private CompletableFuture<Integer> startTraffic(AtomicBoolean over) {
        PGSimpleDataSource dataSource = dataSource(bouncer, 0);
        return Threads.start(() -> {
            int count = 0;
            try (Connection connection = dataSource.getConnection()) {
                while (!over.get()) {
                    TestDatabase.execute(connection, "select 1");
                    count++;
                }
            }
            return count;
        });
    }

    @EveryStrategy
    void verifyPasses(LockStrategy strategy) {
        RowLocks.builder(dataSource(bouncer, 0)).strategy(strategy).build().verify();
        RowLocks.builder(dataSource(repeatableRead, 0))
                .strategy(strategy)
                .build()
                .verify();
    }

    /** The driver's defaults, where nobody keeps account of prepared statements: seen without anything being lost. */
    @Test
    void verifyRefusesAPoolerThatMixesUpPreparedStatements() throws Exception {
        TestPgBouncer forgetful = database.closing(TestPgBouncer.start("transaction", "", settingsWithoutPreparing()));
        for (int i = 0; i < 20; i++) {
            PGSimpleDataSource dataSource = forgetful.dataSource();
            try (HikariDataSource pool = Pools.of(dataSource, 2 + i % 3)) {
                DataSource used = i % 2 == 0 ? dataSource : pool;
                assertThatThrownBy(() -> RowLocks.of(used).verify())
                        .isInstanceOf(LockVerificationException.class)
                        .satisfies(retryable(false))
                        .hasMessageContainingAll("max_prepared_statements", "prepareThreshold=0");
            }
        }
    }

    private static Map<String, String> settingsWithoutPreparing() {
        Map<String, String> settings = new HashMap<>(Map.of("default_pool_size", "8"));
        if (preparesStatements) {
            settings.put("max_prepared_statements", "0");
        }
        return settings;
    }

    /** COMMIT is a prepared statement too, and was another client's: it said nothing, and nothing was stored. */
    @Test
    void aCommitThatWasAnotherClientsStatementIsAFailure() throws Exception {
        RowLocks locks = LockAccess.builder().build();
        try (TestPgBouncer forgetful = TestPgBouncer.start("transaction", "", settingsWithoutPreparing())) {
            int failed = 0;
            for (int i = 1; i <= 20; i++) {
                int balance = i;
                // Each is a new client, which counts its statements from one, on the same server connection.
                try {
                    on(locks, forgetful.dataSource())
                            .lock(forUpdate(account(1)))
                            .inTransaction(tx -> {
                                try (Statement statement = tx.connection().createStatement()) {
                                    for (int n = 0; n < balance % 4; n++) {
                                        statement.execute("select " + n);
                                    }
                                    return statement.execute("update " + database.schema() + ".account set balance = "
                                            + balance + " where id = 1");
                                }
                            });
                    assertThat(database.query(read())).isEqualTo(String.valueOf(balance));
                } catch (SQLException | RowlockException e) {
                    failed++;
                    assertThat(database.query(read())).isNotEqualTo(String.valueOf(balance));
                }
            }
            assertThat(failed).isPositive();
        }
        TestDatabase.await().until(() -> locksOnTheServer().equals("0"));
    }

    @EveryStrategy
    void sessionModeWorksWithTheDriversDefaults(RowLocks locks) throws Exception {
        TestPgBouncer sessions =
                database.closing(TestPgBouncer.start("session", "", Map.of("default_pool_size", "20")));
        on(locks, sessions.dataSource()).verify();
        PGSimpleDataSource dataSource = sessions.dataSource();
        dataSource.setApplicationName(database.schema());
        Session alice = database.session("alice", dataSource);
        Session bob = database.session("bob", dataSource);
        for (int i = 1; i <= 7; i++) {
            lock(alice, locks, forUpdate(account(1)));
            assertThat(tryLock(bob, locks, forUpdate(account(1)))).isFalse();
            alice.commit();
            assertThat(tryLock(bob, locks, forUpdate(account(1)))).isTrue();
            bob.commit();
        }
        alice.close();
        bob.close();
    }

    /**
     * A pooler that ends the transaction after each statement is told by it, or by verify(), before anything is lost.
     */
    @EveryStrategy
    void statementPoolingIsRefused(RowLocks locks) throws Exception {
        TestPgBouncer statements = database.closing(TestPgBouncer.start("statement", "", Map.of()));
        PGSimpleDataSource dataSource = statements.dataSource();
        dataSource.setPrepareThreshold(0);
        dataSource.setApplicationName(database.schema());
        for (int level : List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ)) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setTransactionIsolation(level);
                connection.setAutoCommit(false);
                assertThatThrownBy(() -> locks.in(connection).lock(forUpdate(account(1))))
                        .isInstanceOf(RowlockException.class)
                        .hasMessageContainingAll("a pooler in front of it, refused", "statement pooling");
            }
        }
        assertThatThrownBy(() -> on(locks, dataSource).verify())
                .isInstanceOf(RowlockException.class)
                .hasMessageContaining("pool_mode = transaction");
        assertThat(locksOnTheServer()).isEqualTo("0");
    }

    /** Before 1.21, and with the driver's default threshold, the error is PgBouncer's; nothing stays locked. */
    @Test
    void aDriverThatPreparesWhereThePoolerCannotFailsLoudly() throws Exception {
        assumeTrue(!preparesStatements, "skipped: this PgBouncer knows prepared statements");
        RowLocks locks = locks(LockStrategy.ADVISORY);
        PGSimpleDataSource dataSource = dataSource(bouncer, 0);
        dataSource.setPrepareThreshold(1);
        Session alice = database.session("alice", dataSource);
        Session bob = database.session("bob", dataSource);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 3; i++) {
                        for (Session session : List.of(alice, bob)) {
                            lock(session, locks, forUpdate(account(1)));
                            session.commit();
                        }
                    }
                })
                .isInstanceOf(RowlockException.class)
                .hasMessageContainingAll("prepared statement", "max_prepared_statements", "prepareThreshold=0");
        // Not even a rollback gets through: only closing the connections ends their transactions.
        alice.close();
        bob.close();
        TestDatabase.await().until(() -> locksOnTheServer().equals("0"));
    }
}
