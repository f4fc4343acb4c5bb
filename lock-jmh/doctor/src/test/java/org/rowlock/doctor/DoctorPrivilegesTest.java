package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.doctor.Clinic.table;
import static org.rowlock.doctor.Clinic.unseen;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.doctor.Table.Of;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.ServerAddress;

/** Checks what the doctor reports to a role without privileges, and that no role changes anything. */
class DoctorPrivilegesTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(100);

    private String role;

    @BeforeEach
    void createRole() throws SQLException {
        role = "doctor_" + database.schema();
        database.execute("create role " + role + " login password '" + role + "'");
    }

    @AfterEach
    void dropRole() throws SQLException {
        database.execute("drop owned by " + role, "drop role " + role);
    }

    @Test
    void withoutPrivilegesTheWaitsAreSeenAndTheRestIsSaidToBeMissing() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from account where id = 7 for update");
        Session waiter = database.session("waiter");
        Step<Boolean> wait = waiter.startExecute("select * from account where id = 7 for update")
                .awaitBlockedBy(holder);

        Diagnosis diagnosis = examineAs();

        assertThat(diagnosis.kind()).as(diagnosis.text(100, false)).isEqualTo(Diagnosis.Kind.HURT);
        Table table = table(diagnosis, database.schema() + ".account");
        assertThat(table.shares(Of.CAUSE)).containsOnlyKeys(StatementKind.HIDDEN);
        assertThat(unseen(diagnosis)).contains("grant pg_read_all_stats to " + role);
        assertThat(diagnosis.seen().rowWaitsOfBusy()).isEmpty();

        holder.rollback();
        wait.get();
        waiter.rollback();
    }

    @Test
    void whoNamesNoRowIsFoundByTheOnlyTableThatItTouches() throws Exception {
        String update = "update account set balance = balance + 1 where id = 7";
        Session holder = database.session("holder");
        Step<Boolean> wait = Clinic.followAnUpdatedRow(database, update, holder, update);

        Diagnosis diagnosis = examineAs();

        assertThat(table(diagnosis, database.schema() + ".account").waiting()).isEqualTo(1);
        assertThat(diagnosis.seen().sessions("row waits at unnamed tables")).isZero();
        holder.rollback();
        wait.get();
    }

    /**
     * The server hides the activity of a session and its duration. The server shows how long other sessions have waited
     * for that session.
     */
    @Test
    void withoutPrivilegesAForgottenSessionIsFound() throws Exception {
        Session holder = database.session("holder");
        holder.execute("select * from account where id = 7 for update");
        List<Step<Boolean>> waiters =
                Clinic.queue(database, 2, "select * from account where id = 7 for update", holder);
        ServerAddress later = Clinic.later(TestPostgres.shared(), database);
        database.execute("grant usage on schema " + database.schema() + " to " + role);
        Clinic.settle(TestPostgres.shared());

        Diagnosis diagnosis = Doctor.examine(new ServerAddress(later.url(), role, role), samples -> true);

        Clinic.release(holder, waiters);
        assertThat(diagnosis.advice().get(0).action())
                .as(diagnosis.text(100, true))
                .contains("pg_terminate_backend(" + holder.pid() + ")", "pg_read_all_stats");
        assertThat(diagnosis.advice().get(0).figure()).contains("its activity is not visible", "6 min");
        assertThat(diagnosis.text(Clinic.WIDE, true)).doesNotContain("(running)");
    }

    @Test
    void withReadAllStatsNothingOfOtherSessionsIsMissing() throws SQLException {
        database.execute("grant pg_read_all_stats to " + role);
        assertThat(unseen(examineAs())).doesNotContain("of other roles");
    }

    private Diagnosis examineAs() {
        Clinic.settle(TestPostgres.shared());
        return Doctor.examine(new ServerAddress(TestPostgres.shared().url(), role, role), samples -> true);
    }

    @Test
    void aProbeCannotWriteAndLeavesTheSessionAsItWas() throws SQLException {
        TestPostgres server = TestPostgres.shared();
        try (ReadOnlySession session = ReadOnlySession.open(Clinic.address(server))) {
            assertThatThrownBy(() -> session.read(connection ->
                            TestDatabase.query(connection, "create table " + database.schema() + ".evil ()")))
                    .hasFieldOrPropertyWithValue("SQLState", "25006");
            String settings = session.read(DoctorPrivilegesTest::settings);
            assertThat(settings).isEqualTo("on|" + ReadOnlySession.STATEMENT_TIMEOUT.toSeconds() + "s");
        }
    }

    /** Behind a transaction pooler, a setting of the session would stay in the server connection of another client. */
    @Test
    void whatIsSetEndsWithTheTransaction() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            String before = settings(connection);
            connection.commit();
            TestDatabase.execute(connection, ReadOnlySession.BEGIN);
            assertThat(settings(connection)).isNotEqualTo(before);
            connection.commit();
            assertThat(settings(connection)).isEqualTo(before);
            connection.commit();
        }
    }

    private static String settings(Connection connection) throws SQLException {
        return TestDatabase.query(
                connection,
                "select current_setting('transaction_read_only') || '|' || current_setting('statement_timeout')");
    }
}
