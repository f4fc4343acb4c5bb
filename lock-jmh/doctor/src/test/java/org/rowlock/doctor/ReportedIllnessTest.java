package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Clinic.address;
import static org.rowlock.doctor.Clinic.examine;
import static org.rowlock.doctor.Clinic.later;
import static org.rowlock.doctor.Clinic.simple;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;
import org.rowlock.doctor.Clinic.Load;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks illnesses that users have reported as wrongly diagnosed. The programs use JDBC as applications do. */
@SuppressWarnings("try") // A load is there to run.
class ReportedIllnessTest {
    @AutoClose("stop")
    private static final TestPostgres SERVER = TestPostgres.embedded(
            Map.of("autovacuum", "off", "max_prepared_transactions", "5", "max_connections", "120"));

    private static final String LOCK = "select * from account where id = 7 for update";

    @RegisterExtension
    final TestDatabase database =
            TestDatabase.accounts(SERVER, 100, "create table \"evil\u001b[2J\u009b31m\" as select 1 as id");

    @Test
    void duplicateKeysAreNotTakenForSerializable() throws Exception {
        Diagnosis diagnosis = storm(samples -> true, "select count(*) from account", "insert into account values (1)");
        Clinic.assertFirst(diagnosis, "rollbacks", "the server's log has the SQLSTATE");
        assertThat(diagnosis.text(Clinic.WIDE, false)).doesNotContain("40001", "SERIALIZABLE");
    }

    @Test
    void anIdleSerializableSessionExplainsNoDuplicateKeys() throws Exception {
        Session reader = database.session("reader");
        reader.execute("set transaction isolation level serializable");
        reader.execute("select * from account");
        Diagnosis diagnosis = storm(samples -> true, "select count(*) from account", "insert into account values (1)");
        reader.rollback();
        Clinic.assertFirst(diagnosis, "rollbacks", "the server's log has the SQLSTATE");
    }

    @Test
    void aStormInSerializableIsFound() throws Exception {
        Diagnosis diagnosis = storm(
                samples -> true,
                "set transaction isolation level serializable",
                "select count(*) from account",
                "update account set balance = balance + 1 where id = 7",
                "commit");
        Clinic.assertFirst(diagnosis, "serialization", "READ COMMITTED");
    }

    @Test
    void waitsThatATimeoutEndsAreNotTakenForSerializable() throws Exception {
        Session holder = database.session("holder");
        holder.execute(LOCK);
        Diagnosis diagnosis = storm(
                samples -> samples.average(samples.sessions).getOrDefault("waits given up", 0.0) > 0,
                "set local lock_timeout = '20ms'",
                "select count(*) from account",
                LOCK);
        holder.rollback();
        assertThat(diagnosis.advice()).as(diagnosis.text(100, true)).anySatisfy(advice -> {
            assertThat(advice.rule()).isEqualTo("rollbacks");
            assertThat(advice.action()).contains("lock_timeout");
        });
        assertThat(diagnosis.text(Clinic.WIDE, false)).doesNotContain("SERIALIZABLE");
    }

    /** Runs JDBC transactions that fail repeatedly, and samples until the condition holds. */
    private Diagnosis storm(Predicate<Samples> isSeen, String... statements) throws Exception {
        try (Load load = Load.start(database.dataSource(), 20, (client, connection) -> {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            } catch (SQLException e) {
                connection.rollback();
            }
        })) {
            return examine(
                    address(SERVER),
                    isSeen.and(samples -> samples.count() >= 25
                            && load.rounds() >= 100
                            && samples.average(samples.sessions).getOrDefault("aborted", 0.0) > 0));
        }
    }

    /** Three hanging requests are worse than many slow requests. */
    @Tag("long")
    @Test
    void aForgottenSessionComesBeforeACrowd() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from account where id = 8 for update");
        List<Step<Boolean>> waiters =
                Clinic.queue(database, 3, "select * from account where id = 8 for update", holder);
        String work = "begin; " + LOCK + "; select pg_sleep(0.005); commit";
        Diagnosis diagnosis;
        try (Load load = Load.start(simple(database.dataSource()), 28, work)) {
            diagnosis = examine(
                    address(SERVER),
                    samples -> samples.blockers().stream().anyMatch(Blocker::isHanging) && samples.count() >= 25);
        }
        Clinic.release(holder, waiters);
        Clinic.assertFirst(diagnosis, "blocker", "pg_terminate_backend(" + holder.pid() + ")");
        assertThat(diagnosis.advice()).hasSizeGreaterThan(1);
    }

    @Test
    void aSessionThatBlocksInAnotherDatabaseIsToldWithIt() throws Exception {
        Session holder = database.session("holder");
        holder.execute(LOCK);
        List<Step<Boolean>> waiters = Clinic.queue(database, 1, LOCK, holder);
        String own = database.query("select current_database()");
        database.execute(
                "create function current_database() returns name language sql as $$ select 'template1'::name $$");
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        Clinic.release(holder, waiters);
        Clinic.assertFirst(diagnosis, "blocker", "pg_terminate_backend(" + holder.pid() + ")");
        assertThat(diagnosis.advice().get(0).subject()).contains("database " + own);
        assertThat(diagnosis.verdict()).contains("in database template1");
    }

    /** The server reacts to a cancel only after the client has read. */
    @Test
    void aClientThatDoesNotReadIsNotCancelled() throws Exception {
        Session export = database.session("export");
        export.execute(LOCK);
        CopyOut unread = export.run(connection -> connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyOut("copy (select repeat('x', 1000) from generate_series(1, 30000)) to stdout"));
        List<Step<Boolean>> waiters = Clinic.queue(database, 1, LOCK, export);
        Clinic.await(database, "pg_stat_activity where wait_event = 'ClientWrite' and pid = " + export.pid(), 1);
        Diagnosis diagnosis = Clinic.look(SERVER, database);
        while (unread.readFromCopy() != null) {
            // The copy ends when the client has read all rows.
        }
        Clinic.release(export, waiters);
        Clinic.assertFirst(diagnosis, "blocker", "Let its client read the result, or end the session");
        assertThat(diagnosis.text(Clinic.WIDE, true)).doesNotContain("pg_cancel_backend");
    }

    @Test
    void advisoryLocksThatAnIdleSessionKeepsAreFound() throws Exception {
        Session left = database.session("left");
        left.connection().setAutoCommit(true);
        left.execute("select count(pg_advisory_lock(g)) from generate_series(1, 3000) g");
        Diagnosis diagnosis = examine(SERVER);
        left.execute("select pg_advisory_unlock_all()");
        Clinic.assertFirst(diagnosis, "kept-locks", "pg_terminate_backend(" + left.pid() + ")");
        assertThat(diagnosis.advice().get(0).figure())
                .startsWith("1 session keeps advisory locks")
                .endsWith("3,000");
        assertThat(diagnosis.verdict()).contains("advisory locks");
    }

    @Test
    void monitorsAreNoLoad() throws Exception {
        String monitor = "select count(*) from pg_catalog.pg_stat_activity as a join pg_locks as l using (pid),"
                + " generate_series(1, 20000)";
        try (Load load = Load.start(database.dataSource(), 4, monitor)) {
            Diagnosis diagnosis = examine(
                    address(SERVER),
                    samples -> samples.count() >= 5
                            && samples.average(samples.sessions).getOrDefault("monitors", 0.0) > 1);
            assertThat(diagnosis.seen().sessions("monitors")).isGreaterThan(1);
            assertThat(diagnosis.seen().busySessions())
                    .as(diagnosis.text(100, true))
                    .isLessThan(1);
        }
    }

    @Test
    void aNameDoesNotControlTheTerminal() throws Exception {
        Session holder = database.session("holder");
        holder.execute("lock table \"evil\u001b[2J\u009b31m\"");
        holder.execute("prepare transaction 'it\u001b]0;owned\u0007'");
        String count = "select count(*) from \"evil\u001b[2J\u009b31m\"";
        List<Step<Boolean>> waiters = Clinic.waiting(database, count, count);
        ServerAddress later = later(SERVER, database);
        Clinic.settle(SERVER);
        Diagnosis diagnosis = examine(later, samples -> true);
        String watched = Watch.look(later).text(Clinic.WIDE);
        database.execute("rollback prepared 'it\u001b]0;owned\u0007'");
        for (Step<Boolean> waiter : waiters) {
            waiter.get();
        }
        assertThat(diagnosis.text(Clinic.WIDE, true)).contains("rollback prepared 'it?]0;owned?'", "evil?[2J?31m");
        assertThat(watched).contains("it?]0;owned?");
        for (String text :
                List.of(diagnosis.text(Clinic.WIDE, true), diagnosis.json(), diagnosis.html(null), watched)) {
            assertThat(text).doesNotContain("\u001b", "\u009b", "\u0007");
        }
    }
}
