package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.doctor.Clinic.address;
import static org.rowlock.doctor.Clinic.behind;
import static org.rowlock.doctor.Clinic.examine;
import static org.rowlock.doctor.Clinic.queue;
import static org.rowlock.doctor.Clinic.release;
import static org.rowlock.doctor.Clinic.simple;
import static org.rowlock.doctor.Clinic.table;
import static org.rowlock.testing.TestDatabase.execute;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/**
 * Checks a server with one illness at a time. The first advice must be right, and must name the right table and
 * statement.
 */
@SuppressWarnings("try") // A load is there to run.
class IllnessTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER =
            TestPostgres.embedded(Map.of("shared_preload_libraries", "pg_stat_statements", "autovacuum", "off"));

    private static final int CLIENTS = 20;

    /**
     * The work of a transaction while the lock is held. The work takes so long that slow clients alone do not lead to
     * 10 contenders.
     */
    private static final String WORK = "select pg_sleep(0.005)";

    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            SERVER,
            100,
            "create extension if not exists pg_stat_statements schema public",
            "create table entry (account int, line text)",
            "create table sale (line text)",
            "create function total() returns trigger language plpgsql as"
                    + " $$ begin update account set balance = balance + 1 where id = 42; return null; end $$",
            "create trigger total after insert on sale for each row execute function total()");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            convoy           | select * from account where id = ? for update \
                | select * from account where id = 42 for update; {work}; \
                update account set balance = balance + 1 where id = 42
            convoy-of-writes | update account set balance = balance + ? where id = ? \
                | update account set balance = balance + 1 where id = 42; {work}
            convoy-of-writes | on conflict (id) do update \
                | insert into account values (42, 1) on conflict (id) do update set balance = account.balance + 1; {work}
            # By a trigger.
            convoy-of-writes | insert into sale | insert into sale values ('a'); {work}
            """)
    void aHotRow(String rule, String statement, String work) throws Exception {
        String transaction = "begin; " + work.replace("{work}", WORK) + "; commit";
        try (Load load = Load.start(simple(database.dataSource()), CLIENTS, transaction)) {
            Diagnosis diagnosis = examine(address(SERVER), convoySeenAWhile());
            assertThat(diagnosis.kind()).as(diagnosis.text(100, false)).isEqualTo(Kind.HURT);
            assertFirst(diagnosis, heldShort(diagnosis) ? rule : "shorter-statements", name("account"))
                    .contains(statement);
        }
    }

    /**
     * Returns a condition that needs many samples, because a single sample may see the holder between two statements.
     */
    private Predicate<Samples> convoySeenAWhile() {
        return table(name("account"), Table::isConvoy).and(samples -> samples.count() >= 20);
    }

    /**
     * Whether the holds are short. On a machine that is short of CPUs every hold is long, and advice on long holds
     * comes first.
     */
    private boolean heldShort(Diagnosis diagnosis) {
        return table(diagnosis, name("account")).firstWaitMillis() < Threshold.LONG_HOLD_MILLIS;
    }

    @Test
    void foreignKeysStarvedByForUpdate() throws Exception {
        database.execute("alter table entry add foreign key (account) references account");
        Diagnosis diagnosis = behind(
                SERVER,
                database,
                "select * from account where id = 42 for update",
                3,
                "insert into entry values (42, 'a')");
        assertFirst(diagnosis, "no-key-update", name("account"))
                .isEqualTo("select * from account where id = ? for update");
        assertThat(diagnosis.advice()).extracting(Advice::rule).doesNotContain("convoy", "stay");
    }

    @Test
    void hotParentLockedForUpdateBesideNoForeignKeyThatWaits() throws Exception {
        database.execute("alter table entry add foreign key (account) references account");
        String lock = "begin; select * from account where id = 42 for update; " + WORK + "; commit";
        try (Load load = Load.start(simple(database.dataSource()), CLIENTS, lock)) {
            Diagnosis diagnosis = examine(address(SERVER), convoySeenAWhile());
            assertThat(diagnosis.advice()).extracting(Advice::rule).doesNotContain("no-key-update");
        }
    }

    @Test
    void rowsSharedByTheHundreds() throws Exception {
        database.execute("create table item as select generate_series(1, 300) as id");
        String share = "select count(*) from (select id from item for share) as locked";
        try (Connection other = database.dataSource().getConnection();
                Load load = Load.start(database.dataSource(), 1, (client, connection) -> {
                    // Both sessions lock the rows at the same time, so that the rows get MultiXacts.
                    for (Connection each : List.of(connection, other)) {
                        each.setAutoCommit(false);
                        execute(each, share);
                    }
                    connection.commit();
                    other.commit();
                })) {
            Diagnosis diagnosis = examine(address(SERVER), roundsOf(load, 5));
            assertFirst(diagnosis, "share", "item").isEqualTo(share);
            assertThat(diagnosis.seen().perSecond("multixacts")).isPositive();
        }
    }

    @Test
    void queueOfManyWorkersThatSkipLockedJobs() throws Exception {
        database.execute("create table job as select generate_series(1, 5000) as id");
        String claim = "select id from job order by id limit 1 for update skip locked";
        for (int i = 0; i < 10; i++) {
            database.session("worker" + i).execute("select id from job order by id limit 200 for update skip locked");
        }
        try (Load load = Load.start(database.dataSource(), 8, claim)) {
            Diagnosis diagnosis = examine(address(SERVER), roundsOf(load, 50));
            assertFirst(diagnosis, "claim", "job")
                    .isEqualTo("select id from job order by id limit $1 for update skip locked");
        }
    }

    @Test
    void forgottenTransactionOnAnIdleServer() throws Exception {
        Session reader = snapshot("reader");
        database.execute(Clinic.MANY_XIDS);

        Diagnosis diagnosis = examineLater();

        // The server can count the 100,000 transactions late.
        assertThat(diagnosis.kind()).isIn(Kind.IDLE, Kind.OTHER);
        assertThat(diagnosis.verdict()).contains("vacuum horizon");
        assertFirst(diagnosis, "horizon", "vacuum horizon").isEqualTo("select count(*) from account where balance = ?");
        assertThat(diagnosis.advice().get(0).action()).contains("pg_terminate_backend(" + reader.pid() + ")");
        reader.rollback();
    }

    /** A busy server assigns that many xids in a minute or two. */
    @Test
    void aBackupOnABusyServerIsHealthy() throws Exception {
        Session backup = snapshot("backup");
        database.execute(Clinic.MANY_XIDS);

        assertNoHorizon(examine(SERVER));
        backup.rollback();
    }

    @Test
    void aLongBackupIsLeftToFinish() throws Exception {
        Session backup = snapshot("backup");
        database.execute(Clinic.MANY_XIDS);
        Step<Boolean> running = running(backup);

        Diagnosis diagnosis = examineLater();

        assertFirst(diagnosis, "horizon", "vacuum horizon").isEqualTo("select pg_sleep(?)");
        assertThat(diagnosis.advice().get(0).figure()).contains("session " + backup.pid());
        assertThat(diagnosis.text(Clinic.WIDE, true)).contains("Let it finish").doesNotContain("pg_terminate_backend");
        cancel(backup, running);
    }

    /** The leader of the backup is idle while the workers read. */
    @Test
    void aParallelBackupIsLeftToFinish() throws Exception {
        Session leader = snapshot("leader");
        String exported = leader.run(connection -> {
            try (ResultSet row = connection.createStatement().executeQuery("select pg_export_snapshot()")) {
                row.next();
                return row.getString(1);
            }
        });
        Session worker = database.session("worker");
        worker.execute("set transaction isolation level repeatable read");
        worker.execute("set transaction snapshot '" + exported + "'");
        database.execute(Clinic.MANY_XIDS);
        Step<Boolean> running = running(worker);
        ServerAddress later = Clinic.later(SERVER, database);

        Diagnosis diagnosis = examine(later, samples -> true);

        assertFirst(diagnosis, "horizon", "vacuum horizon").isNotNull();
        assertThat(diagnosis.text(Clinic.WIDE, true)).contains("Let it finish").doesNotContain("pg_terminate_backend");
        cancel(worker, running);
        assertThat(examine(later, samples -> true).text(Clinic.WIDE, true))
                .contains("pg_terminate_backend(" + leader.pid() + ")");
        leader.rollback();
    }

    /** Only the transaction is old. Each of its snapshots is new. */
    @Test
    void aLongTransactionOfShortStatementsHoldsNothingBack() throws Exception {
        Session application = database.session("application");
        application.execute("select count(*) from account");
        database.execute(Clinic.MANY_XIDS);
        Step<Boolean> running = running(application);

        assertNoHorizon(examineLater());
        cancel(application, running);
    }

    /** Every snapshot begins at the oldest running xid, so all snapshots look as old as the forgotten transaction. */
    @Test
    void sessionsBesideAForgottenOneAreNotEnded() throws Exception {
        Session forgotten = database.session("forgotten");
        forgotten.execute("update account set balance = 1 where id = 1");
        database.execute(Clinic.MANY_XIDS);
        Session reader = snapshot("reader");
        Session writer = database.session("writer");
        writer.execute("update account set balance = 1 where id = 2");
        Step<Boolean> reading = running(reader);
        Step<Boolean> writing = running(writer);

        Diagnosis diagnosis = examineLater();

        assertThat(diagnosis.advice())
                .filteredOn(advice -> advice.rule().equals("horizon"))
                .hasSize(1);
        assertThat(diagnosis.text(Clinic.WIDE, true))
                .contains("pg_terminate_backend(" + forgotten.pid() + ")")
                .doesNotContain("session " + reader.pid());
        cancel(reader, reading);
        cancel(writer, writing);
        forgotten.rollback();
    }

    private Diagnosis examineLater() throws SQLException {
        return examine(Clinic.later(SERVER, database), samples -> true);
    }

    private Session snapshot(String name) throws Exception {
        Session session = database.session(name);
        session.execute("set transaction isolation level repeatable read");
        session.execute("select count(*) from account where balance = 4711");
        return session;
    }

    /** Starts a statement, and waits until the server shows that the statement runs. */
    private Step<Boolean> running(Session session) throws Exception {
        Step<Boolean> step = session.startExecute("select pg_sleep(60)");
        Clinic.await(
                database,
                "pg_stat_activity where state = 'active' and wait_event = 'PgSleep' and pid = " + session.pid(),
                1);
        return step;
    }

    private static void cancel(Session session, Step<?> running) throws Exception {
        session.cancel();
        assertThatThrownBy(running::get).hasMessageContaining("canceling");
        session.rollback();
    }

    private static void assertNoHorizon(Diagnosis diagnosis) {
        assertThat(diagnosis.advice())
                .as(diagnosis.text(100, true))
                .extracting(Advice::rule)
                .doesNotContain("horizon");
    }

    /** A running vacuum does not hold back another vacuum. */
    @Tag("long")
    @Test
    void runningVacuumHoldsNothingBack() throws Exception {
        database.execute(
                "create table bulk as select generate_series(1, 10000) as id",
                "create index on bulk (id) with (fillfactor = 10);".repeat(8),
                "delete from bulk");
        Session vacuum = database.session("vacuum");
        vacuum.connection().setAutoCommit(true);
        vacuum.execute("set vacuum_cost_delay = 100; set vacuum_cost_limit = 1; set vacuum_cost_page_dirty = 0;"
                + " set min_parallel_index_scan_size = 0");
        Step<Boolean> running = vacuum.startExecute("vacuum (parallel 2) bulk");
        TestDatabase.await("the vacuum and its workers have snapshots")
                .until(() -> query("select count(*) from pg_stat_activity where backend_xmin is not null and "
                                + vacuum.pid() + " in (pid, leader_pid)")
                        .equals("3"));
        database.execute(Clinic.MANY_XIDS);
        ServerAddress anybody = new ServerAddress(SERVER.url(), database.role(), "secret");

        Diagnosis diagnosis = examine(SERVER);
        Diagnosis diagnosisOfAnybody = examine(anybody, samples -> true);

        assertThat(running.isDone()).isFalse();
        for (Diagnosis each : List.of(diagnosis, diagnosisOfAnybody)) {
            assertThat(each.seen().horizon()).isEmpty();
            assertThat(each.advice()).extracting(Advice::rule).doesNotContain("horizon");
        }
        vacuum.cancel();
        assertThatThrownBy(running::get).hasMessageContaining("canceling");
    }

    @Test
    void deadlocks() throws Exception {
        String lock = "select * from account where id = %d for update";
        Session one = database.session("one");
        Session other = database.session("other");
        long before = countedDeadlocks();
        AtomicLong made = new AtomicLong();
        try (Load load = Load.start(database.dataSource(), 1, (client, connection) -> {
            one.execute(lock.formatted(1));
            other.execute(lock.formatted(2));
            Step<Boolean> waiting = one.startExecute(lock.formatted(2)).awaitBlockedBy(other);
            Step<Boolean> closing = other.startExecute(lock.formatted(1));
            for (Step<Boolean> step : List.of(waiting, closing)) {
                try {
                    step.get();
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("40P01");
                    made.incrementAndGet();
                }
                (step == waiting ? one : other).rollback();
            }
        })) {
            AtomicLong first = new AtomicLong(-1);
            Diagnosis diagnosis = examine(address(SERVER), samples -> {
                long deadlocks = countedDeadlocks();
                first.compareAndSet(-1, deadlocks);
                return deadlocks > first.get()
                        && table(name("account"), table -> table.deadlocked() > 0)
                                .test(samples);
            });
            assertFirst(diagnosis, "deadlocks", name("account"))
                    .isEqualTo("select * from account where id = ? for update");
            assertThat(diagnosis.seen().deadlocks()).isPositive();
        }
        one.close();
        other.close();
        TestDatabase.await("no deadlock is left to be counted in another test")
                .until(() -> countedDeadlocks() == before + made.get());
    }

    private long countedDeadlocks() {
        return Long.parseLong(query("select deadlocks from pg_stat_database where datname = current_database()"));
    }

    @Test
    void holdersThatWorkInTheirApplication() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from account where id = 7 for update");
        List<Step<Boolean>> waiters = queue(database, 2, "select * from account where id = 7 for update", holder);

        Diagnosis diagnosis = examine(
                address(SERVER), table(name("account"), table -> table.pauseMillis() >= 100 * Threshold.WORK_MILLIS));

        assertFirst(diagnosis, "shorter-transaction", name("account"))
                .isEqualTo("select * from account where id = ? for update");
        release(holder, waiters);
    }

    @Tag("long")
    @Test
    void holdersWhoseMessagesTravel() throws Exception {
        try (TcpProxy network = TcpProxy.to(SERVER.dataSource())) {
            // The delay is so long that a slow machine does not make it look like work of the application.
            network.delay(Duration.ofMillis(25), Duration.ofMillis(25));
            try (Load load = Load.start(network.through(database.dataSource()), 4, (client, connection) -> {
                connection.setAutoCommit(false);
                execute(connection, "select * from account where id = 7 for update");
                execute(connection, "update account set balance = balance + 1 where id = 7");
                connection.commit();
            })) {
                ServerAddress address = new ServerAddress(
                        network.through(SERVER.dataSource()).getURL(), SERVER.user(), SERVER.password());
                Diagnosis diagnosis = examine(
                        address,
                        samples -> samples.count() >= 5
                                && table(name("account"), table -> true).test(samples));
                assertFirst(diagnosis, "fewer-round-trips", name("account")).contains("account");
                assertThat(diagnosis.seen().roundTripMillis()).isGreaterThanOrEqualTo(50);
            }
        }
    }

    @Test
    void aSerializableTransactionIsSeenBesideAnEmptyLockTable() throws Exception {
        Session reader = database.session("reader");
        reader.execute("set transaction isolation level serializable");
        reader.execute("select * from account");
        // A session that has been idle for a second does not count.
        Step<Boolean> running = running(reader);
        assertThat(examine(SERVER).seen().sessions("serializable")).isPositive();
        cancel(reader, running);
    }

    @Test
    void holdersThatWaitForAStandby() throws Exception {
        database.execute("alter system set synchronous_standby_names = 'nobody'");
        database.execute("select pg_reload_conf()");
        Session holder = database.session("holder");
        try {
            holder.execute("set synchronous_commit = on");
            Step<?> commit = commitThatWaits(holder);
            Session waiter = database.session("waiter");
            Step<Boolean> wait = waiter.startExecute("select * from account where id = 7 for update")
                    .awaitBlockedBy(holder);

            Diagnosis diagnosis = Clinic.look(SERVER, database);

            assertFirst(diagnosis, "standby-gone", "server").isNull();
            assertThat(diagnosis.advice()).hasSize(1);
            holder.cancel();
            commit.get();
            wait.get();
            waiter.rollback();
        } finally {
            database.execute("alter system reset synchronous_standby_names");
            database.execute("select pg_reload_conf()");
        }
    }

    /**
     * Returns a commit that waits for the standby. The server applies a new configuration only some time after the
     * reload.
     */
    private Step<?> commitThatWaits(Session holder) throws Exception {
        while (true) {
            holder.execute("update account set balance = balance + 1 where id = 7");
            Step<?> commit = holder.start(connection -> {
                connection.commit();
                return null;
            });
            String isWaiting =
                    "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and pid = " + holder.pid();
            TestDatabase.await("the commit waits or is done")
                    .until(() -> commit.isDone() || query(isWaiting).equals("1"));
            if (!commit.isDone()) {
                return commit;
            }
            commit.get();
        }
    }

    @Test
    void healthyAndBusy() throws Exception {
        String work = "begin; select * from account where id = :client for update; " + WORK + "; commit";
        try (Load load = Load.start(simple(database.dataSource()), 4, work)) {
            Diagnosis diagnosis = examine(
                    address(SERVER),
                    samples -> samples.count() >= 10
                            && samples.busy().values().stream()
                                            .mapToDouble(Double::doubleValue)
                                            .sum()
                                    > Threshold.IDLE_SESSIONS);
            assertThat(diagnosis.advice()).as(diagnosis.text(100, false)).isEmpty();
            assertThat(diagnosis.kind()).as(diagnosis.text(100, false)).isEqualTo(Kind.HEALTHY);
        }
    }

    @Test
    void idle() {
        AtomicReference<Diagnosis> last = new AtomicReference<>();
        TestDatabase.await("what the tests before have done is counted").until(() -> {
            last.set(examine(SERVER));
            return last.get().kind() == Kind.IDLE;
        });
        assertThat(last.get().advice()).as(last.get().text(100, false)).isEmpty();
        assertThat(last.get().verdict()).contains("Run the doctor again");
    }

    /** Checks rule and subject of the first advice, and returns an assertion on its statement. */
    private static org.assertj.core.api.AbstractStringAssert<?> assertFirst(
            Diagnosis diagnosis, String rule, String subject) {
        assertThat(diagnosis.advice()).as(diagnosis.text(100, true)).isNotEmpty();
        Advice first = diagnosis.advice().get(0);
        assertThat(first.rule()).as(diagnosis.text(100, true)).isEqualTo(rule);
        assertThat(first.subject()).isEqualTo(subject);
        assertThat(diagnosis.text(Clinic.WIDE, false)).contains("1.  " + subject + ": " + first.action());
        return assertThat(first.statement());
    }

    private String name(String table) {
        return database.schema() + '.' + table;
    }

    /** Returns a condition that holds after a number of rounds since the first sample. */
    private static Predicate<Samples> roundsOf(Load load, int rounds) {
        AtomicLong first = new AtomicLong(-1);
        return samples -> {
            first.compareAndSet(-1, load.rounds());
            return load.rounds() >= first.get() + rounds;
        };
    }

    private String query(String sql) {
        try {
            return database.query(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
