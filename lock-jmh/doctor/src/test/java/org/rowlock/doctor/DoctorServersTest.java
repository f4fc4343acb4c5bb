package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.doctor.Clinic.examine;
import static org.rowlock.doctor.Clinic.table;
import static org.rowlock.doctor.Clinic.unseen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Table.Of;
import org.rowlock.doctor.Wait.Doing;
import org.rowlock.testing.StreamingPair;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPgBouncer;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Threads;
import org.rowlock.tool.ServerAddress;

/** Checks servers with an unusual setup: with extensions, as a standby, or behind a pooler. */
@Tag("long")
class DoctorServersTest {
    @TempDir
    private Path directory;

    /** The server of a test; null if the test uses other servers. */
    private TestPostgres server;

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            server.stop();
        }
    }

    @Test
    void statementsAreFoundInWhicheverSchemaTheExtensionIs() throws Exception {
        server = TestPostgres.embedded(Map.of(
                "shared_preload_libraries",
                "pg_stat_statements",
                "max_prepared_transactions",
                "5",
                "autovacuum",
                "off"));
        Diagnosis before = examine(server);
        assertThat(before.seen().locking()).isEmpty();
        assertThat(unseen(before))
                .contains("not installed")
                .contains("Run there: create extension pg_stat_statements")
                .doesNotContain("shared_preload_libraries");

        server.execute(
                "create schema \"My stats\"",
                "create extension pg_stat_statements schema \"My stats\"",
                "create table account (id int primary key, balance int)",
                "insert into account select generate_series(1, 10)",
                "select * from account where id = 3 for share");
        // Statements that ran before the examination do not count.
        Diagnosis report = Doctor.examine(Clinic.address(server), samples -> {
            lock();
            return true;
        });
        assertThat(report.seen().locking()).singleElement().satisfies(statement -> {
            assertThat(statement.query()).isEqualTo("select * from account where id = $1 for no key update");
            assertThat(statement.calls()).isEqualTo(1);
            assertThat(statement.rows()).isEqualTo(1);
        });
        assertThat(report.text(Clinic.WIDE, true)).contains("select * from account where id = $1 for no key update");

        aPreparedTransactionIsNamedAsHolder();
    }

    private void lock() {
        try {
            server.execute("select * from account where id = 4 for no key update");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void aPreparedTransactionIsNamedAsHolder() throws Exception {
        server.execute("begin; select * from account where id = 5 for update; prepare transaction 'it''s forgotten'");
        try (Connection connection = server.dataSource().getConnection()) {
            int pid = connection.unwrap(PGConnection.class).getBackendPID();
            CompletableFuture<Void> waiter = Threads.start(() -> {
                TestDatabase.execute(connection, "select * from account where id = 5 for update");
                return null;
            });
            TestDatabase.await("the waiter waits")
                    .until(() -> isThere(server, "select 1 from pg_locks where not granted and pid = " + pid));
            Diagnosis report = examine(server);
            server.execute(Clinic.MANY_XIDS);
            assertThat(examine(server).advice()).extracting(Advice::rule).doesNotContain("horizon");
            server.execute(
                    "create schema later",
                    "create function later.clock_timestamp() returns timestamptz language sql as"
                            + " $$ select pg_catalog.clock_timestamp() + interval '6 minutes' $$");
            ServerAddress later = new ServerAddress(
                    server.url() + "&currentSchema=later,pg_catalog", server.user(), server.password());
            Diagnosis old = examine(later, samples -> true);
            Advice advice = old.advice().get(0);
            assertThat(advice.rule()).isEqualTo("blocker");
            assertThat(advice.action()).startsWith("End it as its transaction manager");
            server.execute(advice.action().replaceFirst(".* or (rollback prepared .*)\\.", "$1"));
            TestDatabase.result(waiter);
            assertThat(table(report, "account").share(Of.HOLDER, Doing.PREPARED))
                    .isEqualTo(1);
            assertThat(report.advice()).first().satisfies(first -> {
                assertThat(first.rule()).isEqualTo("prepared");
                assertThat(first.action()).startsWith("Shorten the time from PREPARE");
                assertThat(first.figure()).contains("it's forgotten");
            });
            assertThat(report.seen().horizon())
                    .anyMatch(holder -> holder.kind().equals("prepared transaction")
                            && holder.name().equals("it's forgotten"));
        }
    }

    @Test
    void anExaminationUsesNoXidAndMakesNoObject() throws Exception {
        // Without autovacuum, only the doctor could use an xid or create an object.
        server = TestPostgres.embedded(Map.of("autovacuum", "off"));
        String before = state(server);
        Diagnosis report = examine(server);
        assertThat(state(server)).isEqualTo(before);
        assertThat(report.seen().perSecond("xids")).isZero();
        assertThat(report.seen().perSecond("multixacts")).isZero();
        assertThat(unseen(report)).contains("Add pg_stat_statements to shared_preload_libraries");
    }

    private static String state(TestPostgres server) throws SQLException {
        return server.query("select pg_snapshot_xmax(pg_current_snapshot()) || '/'"
                + " || (select count(*) from pg_class) || '/' || (select count(*) from pg_proc) || '/'"
                + " || (select count(*) from pg_depend) || '/' || (select count(*) from pg_db_role_setting)");
    }

    @Test
    void aStandbyIsSaidToBeOne() throws Exception {
        Path data = directory.resolve("data");
        int port = TestPostgres.freePort();
        TestPostgres.embedded(Map.of(), data, port).stop();
        Files.createFile(data.resolve("standby.signal"));
        server = TestPostgres.embedded(Map.of("hot_standby", "on"), data, port);
        Diagnosis report = examine(server);
        assertThat(report.kind()).isEqualTo(Kind.STANDBY);
        assertThat(report.text(Clinic.WIDE, false))
                .contains("This is a standby")
                .contains("run the doctor on the primary");
        assertThat(report.advice()).isEmpty();
    }

    /**
     * If a standby has a slot, the slot holds the horizon of the standby's feedback, and the sending process does not.
     */
    @Test
    void aLongQueryOfAStandbyWithASlotIsEndedAndNotTheStandby() throws Exception {
        try (StreamingPair pair = StreamingPair.start()) {
            pair.primary().execute("select pg_create_physical_replication_slot('its_slot')");
            pair.standby()
                    .execute(
                            "alter system set primary_slot_name = 'its_slot'",
                            "alter system set hot_standby_feedback = on",
                            "alter system set wal_receiver_status_interval = 1",
                            "select pg_reload_conf()");
            aStandbyBesideAForgottenTransactionIsNotNamed(pair);
            try (Connection query = TestDatabase.begin(pair.standby().dataSource())) {
                query.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                TestDatabase.execute(query, "select count(*) from pg_class");
                pair.primary().execute(Clinic.MANY_XIDS);
                TestDatabase.await("the standby holds back the primary, and has caught up")
                        .until(() -> isThere(
                                pair.primary(),
                                "select 1 from pg_replication_slots join pg_stat_replication on pid = active_pid"
                                        + " where age(xmin) > " + Threshold.OLD_HORIZON_XIDS
                                        + " and replay_lsn = pg_current_wal_lsn()"));

                Diagnosis report = examine(pair.primary());

                assertThat(report.advice()).first().satisfies(advice -> {
                    assertThat(advice.figure()).startsWith("held by standby its_slot (by its slot)");
                    assertThat(advice.action()).contains("Shorten the long query on that standby");
                });
            }
            pair.standby().stop();
            TestDatabase.await("nobody uses the slot")
                    .until(() -> isThere(pair.primary(), "select 1 from pg_replication_slots where not active"));
            pair.primary().execute(Clinic.MANY_XIDS);
            assertThat(examine(pair.primary()).advice()).first().satisfies(advice -> {
                assertThat(advice.figure()).startsWith("held by replication slot its_slot (not in use)");
                assertThat(advice.action()).contains("pg_drop_replication_slot('its_slot')");
            });
        }
    }

    /** The query of the standby is new, but its snapshot begins at the forgotten transaction of the primary. */
    private static void aStandbyBesideAForgottenTransactionIsNotNamed(StreamingPair pair) throws SQLException {
        try (Connection forgotten = TestDatabase.begin(pair.primary().dataSource());
                Connection query = TestDatabase.begin(pair.standby().dataSource())) {
            TestDatabase.execute(forgotten, "select pg_current_xact_id()");
            pair.primary().execute(Clinic.MANY_XIDS);
            query.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            TestDatabase.execute(query, "select count(*) from pg_class");
            TestDatabase.await("the standby holds back the primary")
                    .until(() -> isThere(
                            pair.primary(),
                            "select 1 from pg_replication_slots where age(xmin) > " + Threshold.OLD_HORIZON_XIDS));

            assertThat(examine(pair.primary()).advice())
                    .extracting(Advice::rule)
                    .doesNotContain("horizon");
        }
        TestDatabase.await("it holds back nothing")
                .until(() -> isThere(
                        pair.primary(), "select 1 from pg_replication_slots where coalesce(age(xmin), 0) < 1000"));
    }

    private static boolean isThere(TestPostgres server, String query) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            return statement.executeQuery(query).next();
        }
    }

    @Test
    void aTransactionPoolerIsNoObstacle() throws Exception {
        Assumptions.assumeTrue(TestPgBouncer.program().isPresent(), "PgBouncer is not installed");
        try (TestPgBouncer bouncer = TestPgBouncer.start("transaction", "", Map.of())) {
            String url = bouncer.dataSource().getURL();
            TestPostgres server = TestPostgres.shared();
            Diagnosis report =
                    Doctor.examine(new ServerAddress(url, server.user(), server.password()), samples -> true);
            assertThat(report.seen().samples()).isPositive();
        }
    }

    /** Parallel workers, autovacuum and replication do not count. */
    @Test
    void usedUpConnectionsAreTold() throws Exception {
        server = TestPostgres.embedded(Map.of("max_connections", "20"));
        List<Connection> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 16; i++) {
                idle.add(server.dataSource().getConnection());
            }
            assertThat(examine(server).advice()).singleElement().satisfies(advice -> {
                assertThat(advice.rule()).isEqualTo("connections");
                assertThat(advice.figure()).contains(" of 17 client connections are in use, 16 of them idle");
            });
        } finally {
            for (Connection each : idle) {
                each.close();
            }
        }
    }

    @Test
    void aFullLockTableIsToldBeforeItIsFull() throws Exception {
        server = TestPostgres.embedded(Map.of("max_locks_per_transaction", "10", "max_connections", "20"));
        try (Connection connection = TestDatabase.begin(server.dataSource())) {
            TestDatabase.execute(connection, "select pg_advisory_xact_lock(i) from generate_series(1, 300) as i");

            Diagnosis report = examine(server);

            assertThat(report.kind()).isEqualTo(Kind.IDLE);
            assertThat(report.verdict()).contains("lock table");
            assertThat(report.advice()).first().satisfies(advice -> {
                assertThat(advice.rule()).isEqualTo("lock-table");
                assertThat(advice.figure())
                        .contains("of its 400 entries in use")
                        .contains("300 of them by session");
                assertThat(advice.statement())
                        .isEqualTo("select pg_advisory_xact_lock(i) from generate_series(...) as i");
            });
        }
    }
}
