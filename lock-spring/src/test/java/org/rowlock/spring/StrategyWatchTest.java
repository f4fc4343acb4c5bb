package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockInspector;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.spring.internal.startup.StartupVerification;
import org.rowlock.spring.internal.startup.StrategyWatch;
import org.rowlock.testing.Session;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgBouncer;
import org.rowlock.testing.Threads;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.annotation.Transactional;

/** Checks that instances detect other instances whose locks do not exclude their own locks. */
@Tag("long")
class StrategyWatchTest {
    private static final String OTHERS = " from pg_locks l join pg_stat_activity a on a.pid = l.pid"
            + " where l.locktype = 'advisory' and l.mode = 'ShareLock' and a.application_name = '";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(1);

    private String initSql;
    private Duration verifyEvery = Duration.ofSeconds(1);

    static class Service {
        @Transactional
        public void run(@RowLock("account") long id) {}
    }

    private TestContext start(LockStrategy strategy, String reaction) {
        return start(database.dataSource(), strategy, reaction);
    }

    private TestContext start(DataSource server, LockStrategy strategy, String reaction) {
        HikariDataSource pool = Contexts.pool(server);
        pool.setConnectionInitSql(initSql);
        return Contexts.start(
                database,
                pool,
                beans -> {
                    TestSettings settings = new TestSettings().verifyEvery(verifyEvery);
                    Contexts.settings(
                            beans, settings.strategyConflict(Reaction.valueOf(reaction.toUpperCase(Locale.ROOT))));
                    Contexts.locks(beans, strategy);
                },
                Service.class);
    }

    @Test
    void rowBesideAdvisoryIsRefusedAtStartup() throws Exception {
        try (var row = start(LockStrategy.ROW, "fail")) {
            assertThat(row.getBean(StartupVerification.class).conflicts()).isEmpty();
            assertThatThrownBy(() -> start(LockStrategy.ADVISORY, "fail"))
                    .isInstanceOf(RowLockDefinitionException.class)
                    .hasMessageContainingAll(
                            "The table account is locked with strategy ADVISORY here, and with ROW by another instance",
                            "application '" + database.schema() + "'",
                            "only through BOTH",
                            "rowlock.strategy-conflict=warn");
            start(LockStrategy.BOTH, "fail").close();
            start(LockStrategy.ROW, "fail").close();
        }
        try (var advisory = start(LockStrategy.ADVISORY, "fail")) {
            assertThat(advisory.isActive()).isTrue();
            assertThatThrownBy(() -> start(LockStrategy.ROW, "fail")).hasMessageContaining("with ADVISORY by");
            start(LockStrategy.BOTH, "fail").close();
        }
        start(LockStrategy.ROW, "fail").close();
    }

    /**
     * The first statement of each pooled connection sets the search_path. Names of tables are resolved only after this
     * statement.
     */
    @Test
    void tablesAreThoseOfThePoolsFirstStatement() {
        PGSimpleDataSource elsewhere = database.dataSource();
        elsewhere.setCurrentSchema("public");
        initSql = "set search_path to " + database.schema();
        var row = start(elsewhere, LockStrategy.ROW, "fail");
        assertThat(row.getBean(StartupVerification.class).conflicts()).isEmpty();
        assertThatThrownBy(() -> start(elsewhere, LockStrategy.ADVISORY, "fail"))
                .isInstanceOf(RowLockDefinitionException.class);
    }

    /** The running instance detects the start and the end of another instance. */
    @Test
    void whileRunningEachSeesTheOther() {
        StartupVerification watch = start(LockStrategy.ROW, "fail").getBean(StartupVerification.class);
        try (var advisory = start(LockStrategy.ADVISORY, "warn")) {
            assertThat(advisory.getBean(StartupVerification.class).conflicts()).hasSize(1);
            TestDatabase.await()
                    .untilAsserted(() -> assertThat(watch.conflicts())
                            .singleElement()
                            .asString()
                            .contains("with strategy ROW here, and with ADVISORY by another instance"));
        }
        TestDatabase.await().until(() -> watch.conflicts().isEmpty());
    }

    /** The mark is set on a connection of the pool. */
    @Test
    void itTakesNoConnectionOfItsOwn() throws Exception {
        var row = start(LockStrategy.ROW, "fail");
        HikariDataSource pool = row.getBean(HikariDataSource.class);
        assertThat(wordsAsSeen()).hasSize(1);
        TestDatabase.await("as many sessions as the pool has connections")
                .until(() -> database.query("select count(*) from pg_stat_activity where application_name = '"
                                + database.schema() + "' and pid <> pg_backend_pid()")
                        .equals(String.valueOf(pool.getHikariPoolMXBean().getTotalConnections())));
        assertThat(row.getBean(Service.class)).isNotNull();
    }

    /** Between the checks, the watch asks only the driver whether the connection with the mark is still open. */
    @Test
    void aWordWhoseConnectionThePoolHasClosedIsLeftAgain() {
        verifyEvery = Duration.ZERO;
        var row = start(LockStrategy.ROW, "fail");
        int pid = wordsAsSeen().get(0).pid();
        row.getBean(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
        TestDatabase.await()
                .until(() -> wordsAsSeen().size() == 1 && wordsAsSeen().get(0).pid() != pid);
    }

    /** The pool can stay open after the application has ended. */
    @Test
    void whenTheApplicationEndsItsWordIsTakenBack() {
        DataSource outlives = new DelegatingDataSource(Contexts.pool(database));
        Contexts.start(database, outlives, beans -> Contexts.locks(beans, LockStrategy.ROW), Service.class)
                .close();
        assertThat(wordsAsSeen()).isEmpty();
    }

    /** The driver runs one statement at a time, and the statement of a worker may wait without a bound. */
    @Test
    void theApplicationEndsAlthoughTheConnectionWithItsWordIsInUse() throws Exception {
        HikariDataSource pool = Contexts.pool(database);
        TestContext row = Contexts.start(
                database,
                new DelegatingDataSource(pool),
                beans -> Contexts.locks(beans, LockStrategy.ROW),
                Service.class);
        int marked = wordsAsSeen().get(0).pid();
        Session holder = RowLockTests.holder(database, LockKey.row("account", 1));
        try (Connection first = pool.getConnection();
                Connection second = pool.getConnection()) {
            boolean isFirst = first.unwrap(PGConnection.class).getBackendPID() == marked;
            Connection worker = isFirst ? first : second;
            assertThat(worker.unwrap(PGConnection.class).getBackendPID()).isEqualTo(marked);
            CompletableFuture<Boolean> waiting = Threads.start(
                    () -> worker.createStatement().execute("update account set balance = 1 where id = 1"));
            Blocking.awaitWaiterBehind(database.dataSource(), holder.pid());
            TestDatabase.result(Blocking.run(row::close));
            assertThat(waiting).isNotDone();
            holder.rollback();
            assertThat(TestDatabase.result(waiting)).isFalse();
        }
        TestDatabase.await().until(() -> wordsAsSeen().isEmpty());
    }

    @Test
    void aWordThatIsLostIsLeftAgain() throws Exception {
        var row = start(LockStrategy.ROW, "fail");
        assertThat(row.isActive()).isTrue();
        String words = "select count(*)" + OTHERS + database.schema() + "'";
        assertThat(database.query(words)).isEqualTo("1");
        String pid = database.query("select a.pid" + OTHERS + database.schema() + "'");
        database.execute("select pg_terminate_backend(" + pid + ")");
        TestDatabase.await()
                .until(() -> database.query(words).equals("1")
                        && !database.query("select a.pid" + OTHERS + database.schema() + "'")
                                .equals(pid));
    }

    /** BOTH excludes all other strategies, so the watch has no conflict to detect. */
    @Test
    void bothTakesNoConnection() throws Exception {
        var both = start(LockStrategy.BOTH, "fail");
        var row = start(LockStrategy.ROW, "fail");
        assertThat(both.isActive()).isEqualTo(row.isActive());
        assertThat(database.query("select count(*)" + OTHERS + database.schema() + "'"))
                .isEqualTo("1");
        List<LockInspector.Line> words = wordsAsSeen();
        assertThat(words).hasSize(1);
        assertThat(StrategyWatch.isWord(words.get(0)))
                .as("known for what it is all the same")
                .isTrue();
    }

    private List<LockInspector.Line> wordsAsSeen() {
        try (Connection connection = database.dataSource().getConnection()) {
            return new LockInspector(connection)
                    .all().stream()
                            // The verification of locks holds exclusive locks for a moment.
                            .filter(line -> line.isShared()
                                    && line.application().orElse("").equals(database.schema()))
                            .toList();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Behind a pooler, a session lock would stay on an arbitrary server connection. */
    @Test
    void behindAPoolerNothingIsLeftAndThatIsSaid() throws Exception {
        assumeTrue(TestPgBouncer.program().isPresent(), "skipped: PgBouncer is not installed");
        List<ILoggingEvent> said = RowLockTests.logged(database, StrategyWatch.class.getName(), Level.INFO);
        String searchPath = "set search_path = " + database.schema();
        try (TestPgBouncer bouncer = TestPgBouncer.start("transaction", searchPath, Map.of())) {
            PGSimpleDataSource pooled = bouncer.dataSource();
            pooled.setPrepareThreshold(0);
            try (var row = start(pooled, LockStrategy.ROW, "fail");
                    var advisory = start(pooled, LockStrategy.ADVISORY, "fail")) {
                row.getBean(Service.class).run(1);
                advisory.getBean(Service.class).run(1);
                assertThat(said)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .hasSize(2)
                        .allSatisfy(line -> assertThat(line).contains("not watched", "pooler"));
                assertThat(wordsAsSeen()).isEmpty();
            }
        }
    }

    @Test
    void ignoredItTakesNoConnection() throws Exception {
        var row = start(LockStrategy.ROW, "ignore");
        assertThat(row.isActive()).isTrue();
        assertThat(database.query("select count(*)" + OTHERS + database.schema() + "'"))
                .isEqualTo("0");
        start(LockStrategy.ADVISORY, "ignore");
    }
}
