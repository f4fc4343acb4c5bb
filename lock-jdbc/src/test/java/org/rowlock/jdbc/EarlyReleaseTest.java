package org.rowlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;
import org.rowlock.LockRelease;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/**
 * Commits that let go of a row before they are durable, where others want it. A session that asks for it waits for a
 * standby that never comes, so that what is seen is seen before its commit is acknowledged, for certain.
 */
class EarlyReleaseTest {
    private static final TestPostgres SERVER = TestPostgres.embedded(Map.of(
            "synchronous_standby_names", "nobody", "synchronous_commit", "local", "max_prepared_transactions", "10"));

    private static final String LOCK = "select * from account where id = 1 for update";
    private static final String ADD = "update account set balance = balance + 1 where id = 1";

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            SERVER,
            "create table account(id int primary key, balance int not null default 0)",
            "create table entry(id int primary key, account int references account deferrable initially deferred)",
            "insert into account values (1), (2)");

    private GatedDatabase gated;

    @BeforeEach
    void open() throws SQLException {
        gated = gated(database.dataSource(), LockRelease.EARLY);
    }

    @AfterEach
    void nothingIsLeftInTheGate() {
        assertThat(gated.gate.queued()).isZero();
        assertThat(gated.gate.inside()).isZero();
    }

    @AfterAll
    static void stop() throws Exception {
        SERVER.stop();
    }

    private static GatedDatabase gated(DataSource plain, LockRelease release) throws SQLException {
        GatedDatabase made = new GatedDatabase(
                plain, RowlockMode.QUEUE, release, GatedDatabase.queues(10, GatedDatabase.NEVER_OVER));
        made.learn("account");
        return made;
    }

    private Session session(String name) throws SQLException {
        return database.session(name, gated.dataSource);
    }

    /** A session whose commits wait for the standby. */
    private Session waitingSession(String name) throws Exception {
        Session session = session(name);
        // Past the wrapper, which would wait for the standby behind it.
        session.connection().unwrap(PgConnection.class).execSQLUpdate("set synchronous_commit = on");
        return session;
    }

    private static Step<Void> startCommit(Session session) {
        return startCommit(session, false);
    }

    private static Step<Void> startCommit(Session session, boolean byAutocommit) {
        return session.start(connection -> {
            if (byAutocommit) {
                connection.setAutoCommit(true);
            } else {
                connection.commit();
            }
            return null;
        });
    }

    private void awaitStandbyWaitOf(Session session) {
        Awaitility.await("the commit waits for the standby")
                .atMost(TestDatabase.DEADLINE)
                .until(() -> database.query(
                                "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and pid = "
                                        + session.pid())
                        .equals("1"));
    }

    private long releasedEarly() {
        return gated.figure("account", "releasedEarly");
    }

    private static String state(Step<?> step) throws Exception {
        return ((SQLException) step.failure()).getSQLState();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextHasTheRowBeforeTheCommitIsAcknowledged(boolean byAutocommit) throws Exception {
        Session holder = waitingSession("holder");
        Session next = session("next");
        holder.execute(LOCK);
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);

        Step<Void> commit = startCommit(holder, byAutocommit);
        wait.get();
        assertThat(commit.isDone()).isFalse();
        assertThat(number(next, "select balance from account where id = 1")).isEqualTo(1);
        next.commit();

        awaitStandbyWaitOf(holder);
        holder.cancel();
        // As from a plain commit: it returns, with the server's warning.
        commit.get();
        assertThat(warningOf(holder)).isNotNull().contains("canceling wait for synchronous replication");
        assertThat(releasedEarly()).isEqualTo(1);
    }

    @Test
    void thePlainCommitThatItIsComparedWithHoldsTheRowAndWarnsInTheSameWay() throws Exception {
        gated.dropIn.set("release", "plain");
        Session holder = waitingSession("holder");
        Session next = session("next");
        holder.execute(LOCK);
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);

        Step<Void> commit = startCommit(holder);
        awaitStandbyWaitOf(holder);
        wait.awaitBlockedBy(holder);
        holder.cancel();
        commit.get();
        assertThat(warningOf(holder)).isNotNull().contains("canceling wait for synchronous replication");
        wait.get();
        next.commit();
        assertThat(releasedEarly()).isZero();
    }

    private static String warningOf(Session session) throws SQLException {
        SQLWarning warning = session.connection().getWarnings();
        return warning == null ? null : warning.toString();
    }

    private static int number(Session session, String sql) throws Exception {
        return session.run(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    /** Where nobody waits; where the first lock had no turn; where nothing is queued. */
    @ParameterizedTest
    @ValueSource(strings = {"nobody wants the row", "it had no turn", "observe"})
    void isPlainWhere(String what) throws Exception {
        Session holder = session("holder");
        Session next = session("next");
        if (what.equals("observe")) {
            gated.dropIn.set("mode", RowlockMode.OBSERVE.name());
        }
        if (what.equals("it had no turn")) {
            holder.execute("insert into entry values (1, 1)");
        }
        holder.execute(ADD);
        if (what.equals("nobody wants the row")) {
            holder.commit();
        } else {
            Step<Boolean> wait = next.startExecute(LOCK);
            wait.awaitBlockedBy(holder);
            holder.commit();
            wait.get();
            next.commit();
        }
        assertThat(releasedEarly()).isZero();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
    }

    private static Stream<Arguments> readsAndWays() {
        return Stream.of(EarlyRead.values())
                .flatMap(read -> Stream.of(EarlyRead.Way.values()).map(way -> Arguments.of(read, way)));
    }

    /** Nobody else wants anything, so that nothing is let go of early here; but others may have. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("readsAndWays")
    void whoHasReadWaitsForTheStandbyWhateverWasWritten(EarlyRead read, EarlyRead.Way way) throws Exception {
        database.execute(EarlyRead.TABLES.toArray(String[]::new));
        Session reader = waitingSession("reader");
        Step<Set<Integer>> reading = reader.start(connection -> read.read(connection, 1, way));
        awaitStandbyWaitOf(reader);
        cancelUntilDone(reader, reading);
        assertThat(warningOf(reader)).isNotNull().contains("canceling wait for synchronous replication");
        assertThat(releasedEarly()).isZero();
        reader.connection().setAutoCommit(true);
    }

    @Test
    void aBatchAndAStatementOfNoRowWaitInAutocommitToo() throws Exception {
        Session reader = waitingSession("reader");
        reader.connection().setAutoCommit(true);
        for (boolean batch : new boolean[] {false, true}) {
            Step<Object> reading = reader.start(connection -> {
                try (Statement statement = connection.createStatement()) {
                    String sql = "update account set balance = 1 where id > 9";
                    if (!batch) {
                        return statement.executeUpdate(sql);
                    }
                    statement.addBatch(sql);
                    statement.addBatch(sql);
                    return statement.executeBatch();
                }
            });
            awaitStandbyWaitOf(reader);
            cancelUntilDone(reader, reading);
        }
    }

    /** What has written waits by itself, and in autocommit once more behind that. */
    private static void cancelUntilDone(Session session, Step<?> step) throws Exception {
        Awaitility.await().atMost(TestDatabase.DEADLINE).until(() -> {
            session.cancel();
            return step.isDone();
        });
        step.get();
    }

    /** Which acknowledges nothing; and where nothing is released early. */
    @ParameterizedTest
    @ValueSource(strings = {"rollback", "error", "off", "observe", "plain"})
    void doesNotWaitWhere(String what) throws Exception {
        Session reader = waitingSession("reader");
        switch (what) {
            case "off", "observe" -> gated.dropIn.set("mode", what);
            case "plain" -> gated.dropIn.set("release", what);
            default -> {
                // As it is.
            }
        }
        reader.execute("select * from account");
        if (what.equals("rollback")) {
            reader.rollback();
        } else if (what.equals("error")) {
            assertThat(reader.startExecute("select 1 / 0").failure()).isNotNull();
            reader.commit();
        } else {
            reader.commit();
            reader.connection().setAutoCommit(true);
            reader.execute("select * from account");
        }
    }

    @Test
    void savepointsAreLeftAlone() throws Exception {
        Session holder = session("holder");
        Session next = session("next");
        holder.execute(LOCK);
        holder.execute(ADD);
        holder.execute("savepoint s");
        holder.execute("update account set balance = 100 where id = 1");
        holder.execute("rollback to savepoint s");
        Step<Boolean> wait = next.startExecute(LOCK);
        wait.awaitBlockedBy(holder);
        holder.commit();
        wait.get();
        next.commit();
        assertThat(releasedEarly()).isEqualTo(1);
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
    }

    @Test
    void aPreparedTransactionIsLeftAlone() throws Exception {
        Session holder = session("holder");
        Session next = session("next");
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);
        holder.execute("prepare transaction '" + database.schema() + "'");
        holder.commit();
        assertThat(releasedEarly()).isZero();
        database.execute("commit prepared '" + database.schema() + "'");
        wait.get();
        next.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("1");
    }

    /** What goes wrong in COMMIT, or before it: nothing is stored, with the server's SQLSTATE. */
    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void aDeferredConstraintFailsTheCommit(LockRelease release) throws Exception {
        assertCommitFails(release, "23503", "insert into entry values (1, 99)");
    }

    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void aDeferredTriggerFailsTheCommit(LockRelease release) throws Exception {
        database.execute(
                "create function refuse() returns trigger language plpgsql as"
                        + " 'begin raise exception ''no'' using errcode = ''P4711''; end'",
                "create constraint trigger refuse after update on account deferrable initially deferred"
                        + " for each row when (new.id = 2) execute function refuse()");
        assertCommitFails(release, "P4711", "update account set balance = 1 where id = 2");
    }

    /** Whether the COMMIT is done or fails, and behind what was there before. */
    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void whatDeferredTriggersSayIsOnTheConnection(LockRelease release) throws Exception {
        database.execute(
                "create function speak() returns trigger language plpgsql as 'begin raise notice ''noted %'', new.id;"
                        + " raise warning ''warned''; if new.balance < 0 then raise exception ''no''; end if; return null; end'",
                "create constraint trigger speak after update on account deferrable initially deferred"
                        + " for each row execute function speak()");
        gated.dropIn.set("release", release.name());
        for (String balance : List.of("1", "-1")) {
            Session holder = session("holder");
            Session next = session("next");
            holder.execute("update account set balance = " + balance + " where id = 1");
            Step<Boolean> wait = next.startExecute(LOCK);
            wait.awaitBlockedBy(holder);
            Step<Void> commit = startCommit(holder);
            assertThat(balance.equals("1") ? commit.get() : commit.failure().getMessage())
                    .isEqualTo(
                            balance.equals("1")
                                    ? null
                                    : "ERROR: no\n  Where: PL/pgSQL function speak() line 1 at RAISE");
            assertThat(warningsOf(holder)).containsExactly("noted 1", "warned");
            wait.get();
            next.rollback();
        }
        assertThat(releasedEarly()).isEqualTo(release == LockRelease.EARLY ? 1 : 0);
    }

    private static List<String> warningsOf(Session session) throws SQLException {
        List<String> all = new ArrayList<>();
        for (SQLWarning each = session.connection().getWarnings(); each != null; each = each.getNextWarning()) {
            all.add(each.getMessage());
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void aWriteSkewFailsTheCommit(LockRelease release) throws Exception {
        gated.dropIn.set("release", release.name());
        Session holder = session("holder");
        Session other = session("other");
        for (Session each : List.of(holder, other)) {
            each.execute("set transaction isolation level serializable");
            each.execute("select sum(balance) from account");
        }
        holder.execute(ADD);
        other.execute("update account set balance = balance + 1 where id = 2");
        other.commit();
        assertCommitFails(holder, "40001");
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    private void assertCommitFails(LockRelease release, String state, String sql) throws Exception {
        gated.dropIn.set("release", release.name());
        Session holder = session("holder");
        holder.execute(ADD);
        holder.execute(sql);
        assertCommitFails(holder, state);
        assertThat(database.query("select sum(balance) from account")).isEqualTo("0");
        assertThat(database.query("select count(*) from entry")).isEqualTo("0");
    }

    private void assertCommitFails(Session holder, String state) throws Exception {
        Session next = session("next");
        Step<Boolean> wait = next.startExecute(LOCK);
        wait.awaitBlockedBy(holder);
        assertThat(state(startCommit(holder))).isEqualTo(state);
        wait.get();
        next.commit();
        // The connection goes on, in a new transaction.
        assertThat(number(holder, "select count(*) from account")).isEqualTo(2);
        holder.commit();
    }

    /** PostgreSQL answers COMMIT with a rollback, which the driver alone says nothing of either. */
    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void anAbortedTransactionIsNotCommitted(LockRelease release) throws Exception {
        gated.dropIn.set("release", release.name());
        Session holder = session("holder");
        Session next = session("next");
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);
        assertThat(state(holder.startExecute("select 1 / 0"))).isEqualTo("22012");
        holder.commit();
        wait.get();
        next.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(LockRelease.class)
    void aLostConnectionIsWhatTheDriverSays(LockRelease release) throws Exception {
        gated.dropIn.set("release", release.name());
        Session holder = session("holder");
        Session next = session("next");
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);
        holder.terminate();
        assertThat(state(startCommit(holder))).isIn("57P01", "08006", "08003");
        wait.get();
        next.commit();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    /**
     * Committed, and what would have waited for the disk is refused: no error that looks like rolled back or worth a
     * retry.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void committedButNotConfirmedIsAnOutcomeOfItsOwn(boolean byAutocommit) throws Exception {
        String role = database.schema() + "_app";
        database.execute(
                "create role " + role + " login",
                "grant usage on schema " + database.schema() + " to " + role,
                "grant all on all tables in schema " + database.schema() + " to " + role);
        PGSimpleDataSource asRole = database.dataSource();
        asRole.setUser(role);
        gated = gated(asRole, LockRelease.EARLY);
        HikariConfig config = new HikariConfig();
        config.setDataSource(gated.dataSource);
        config.setMaximumPoolSize(1);
        HikariDataSource pool = new HikariDataSource(config);
        Session holder = database.session("holder", pool);
        Session next = session("next");
        try {
            Step<Boolean> wait = addWhileAnotherWaits(holder, next);
            holder.commit();
            wait.get();
            next.commit();
            assertThat(releasedEarly()).as("the role may").isEqualTo(1);

            wait = addWhileAnotherWaits(holder, next);
            revokeOrGrant("revoke execute on function %s from public");
            Step<Void> commit = startCommit(holder, byAutocommit);
            assertThat(commit.failure())
                    .isExactlyInstanceOf(SQLNonTransientException.class)
                    .hasMessageContaining("has committed on this server and is visible")
                    .hasMessageContaining("Do not run it again");
            assertThat(state(commit)).isEqualTo("RL001");
            wait.get();
            next.commit();
            assertThat(database.query("select balance from account where id = 1"))
                    .isEqualTo("2");
            // The pool takes it for no error of the connection, which goes on.
            // As a pool in front remembers it, which has the error.
            assertThat(holder.connection().getAutoCommit()).isFalse();
            assertThat(number(holder, "select 1")).isEqualTo(1);
            holder.commit();
        } finally {
            revokeOrGrant("grant execute on function %s to public");
            holder.close();
            next.close();
            pool.close();
            database.execute("drop owned by " + role, "drop role " + role);
        }
    }

    /** The holder has the row, and next waits for it. */
    private static Step<Boolean> addWhileAnotherWaits(Session holder, Session next) throws Exception {
        holder.execute(ADD);
        Step<Boolean> wait = next.startExecute(LOCK);
        wait.awaitBlockedBy(holder);
        return wait;
    }

    private void revokeOrGrant(String sql) throws SQLException {
        database.execute("do $$ declare f regprocedure; begin for f in select oid from pg_proc"
                + " where proname = 'pg_logical_emit_message' and proargtypes[2] = 'text'::regtype loop execute format('"
                + sql + "', f); end loop; end $$");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withAPoolInFrontOrBehind(boolean poolInFront) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setAutoCommit(false);
        config.setMaximumPoolSize(3);
        GatedDatabase behind = gated;
        config.setDataSource(poolInFront ? behind.dataSource : database.dataSource());
        try (HikariDataSource pool = new HikariDataSource(config)) {
            if (!poolInFront) {
                gated = gated(pool, LockRelease.EARLY);
            }
            DataSource application = poolInFront ? pool : gated.dataSource;
            for (int i = 1; i <= 3; i++) {
                Session holder = database.session("holder" + i, application);
                Session next = database.session("next" + i, application);
                Step<Boolean> wait = addWhileAnotherWaits(holder, next);
                holder.commit();
                wait.get();
                next.commit();
                holder.close();
                next.close();
                assertThat(releasedEarly()).as("%s", gated.dropIn.getFigures()).isEqualTo(i);
            }
            assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(3);
        }
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("3");
    }

    /** As a pool ends a statement; the next to have the connection does not wait for the standby of the one before. */
    @Test
    void closingAConnectionOfAPoolEndsItsWaitInAutocommit() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMaximumPoolSize(1);
            gated = gated(pool, LockRelease.EARLY);
            Session reader = waitingSession("reader");
            reader.connection().setAutoCommit(true);
            Step<Boolean> read = reader.startExecute("select * from account");
            awaitStandbyWaitOf(reader);

            reader.connection().close();

            Session next = database.session("next");
            int lent = next.run(connection -> {
                try (Connection same = pool.getConnection();
                        Statement statement = same.createStatement();
                        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
                    row.next();
                    return row.getInt(1);
                }
            });
            assertThat(lent).isEqualTo(reader.pid());
            assertThat(state(read)).isEqualTo("RL001");
        }
    }

    /** With BEGIN as a statement of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inAutocommitNothingIsCommittedThatWouldNotBe(boolean byCommit) throws Exception {
        Session holder = session("holder");
        Session next = session("next");
        holder.connection().setAutoCommit(true);
        holder.execute("begin");
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);

        if (byCommit) {
            assertThatThrownBy(() -> holder.connection().commit()).isInstanceOf(SQLException.class);
        } else {
            holder.connection().setAutoCommit(true);
        }
        assertThat(wait.isDone()).isFalse();
        holder.execute("rollback");
        wait.get();
        next.rollback();
        assertThat(database.query("select balance from account where id = 1")).isEqualTo("0");
    }

    /** That is one of statements: a plain commit has none either. */
    @Tag("long")
    @Test
    void theQueryTimeoutOfTheUrlDoesNotEndTheWaitForTheStandby() throws Exception {
        PGSimpleDataSource timed = database.dataSource();
        timed.setQueryTimeout(1);
        gated = gated(timed, LockRelease.EARLY);
        Session holder = waitingSession("holder");
        Session next = session("next");
        Step<Boolean> wait = addWhileAnotherWaits(holder, next);
        Step<Void> commit = startCommit(holder);
        Awaitility.await("the commit waits for longer than the timeout")
                .atMost(TestDatabase.DEADLINE)
                .until(() -> database.query("select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
                                + " and clock_timestamp() - query_start > '2 s' and pid = " + holder.pid())
                        .equals("1"));
        holder.cancel();
        commit.get();
        wait.get();
        next.rollback();
    }

    /** As one that never could; in front of a COMMIT it fails as any other statement, once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRoleThatMayNotWaitAnyMoreWaitsNoMore(boolean autocommit) throws Exception {
        String role = database.schema() + "_app";
        database.execute("create role " + role + " login");
        PGSimpleDataSource asRole = database.dataSource();
        asRole.setUser(role);
        gated = new GatedDatabase(
                asRole, RowlockMode.QUEUE, LockRelease.EARLY, GatedDatabase.queues(10, GatedDatabase.NEVER_OVER));
        Session reader = session("reader");
        try {
            reader.connection().setAutoCommit(autocommit);
            reader.execute("select txid_current()");
            if (!autocommit) {
                reader.commit();
            }
            revokeOrGrant("revoke execute on function %s from public");
            reader.execute("select txid_current()");
            if (!autocommit) {
                assertThat(state(startCommit(reader))).isEqualTo("42501");
                reader.execute("select txid_current()");
                reader.commit();
            }
        } finally {
            revokeOrGrant("grant execute on function %s to public");
            reader.close();
            database.execute("drop role " + role);
        }
    }

    /** As where row-level security relies on settings. */
    @Test
    void isPlainWhereSettingsMayNotBeSet() throws Exception {
        String role = "r_" + database.schema();
        String function = " on function pg_catalog.set_config(text, text, boolean) ";
        database.execute(
                "create role " + role + " login password 'secret'",
                "grant all on schema " + database.schema() + " to " + role,
                "grant all on account to " + role,
                "revoke execute" + function + "from public");
        try {
            PGSimpleDataSource plain = database.dataSource();
            plain.setUser(role);
            plain.setPassword("secret");
            gated = gated(plain, LockRelease.EARLY);
            Session holder = session("holder");
            Session next = session("next");
            Step<Boolean> wait = addWhileAnotherWaits(holder, next);
            holder.commit();
            wait.get();
            next.close();
            holder.close();
            assertThat(releasedEarly()).isZero();
            assertThat(database.query("select balance from account where id = 1"))
                    .isEqualTo("1");
        } finally {
            database.execute("grant execute" + function + "to public", "drop owned by " + role, "drop role " + role);
        }
    }
}
