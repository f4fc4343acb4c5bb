package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.doctor.Doctors.examineAs;
import static org.rowlock.doctor.Doctors.table;
import static org.rowlock.doctor.Doctors.unseen;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.doctor.RowWait.Cause;
import org.rowlock.doctor.Verdict.Kind;
import org.rowlock.testing.Session;
import org.rowlock.testing.Step;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** What a role without privileges is told, and that nobody changes anything. */
class DoctorPrivilegesTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account (id int primary key, balance int not null default 0)",
            "insert into account select generate_series(1, 100)");

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

        Diagnosis report = examineAs(role, TestPostgres.shared());

        assertThat(report.diagnosis().verdict().kind()).as(report.text()).isEqualTo(Kind.HURT);
        TableWaits table = table(report, database.schema() + ".account");
        assertThat(table.causes().share(Cause.HIDDEN)).isEqualTo(1);
        assertThat(table.hotRows().ranking()).isEmpty();
        assertThat(unseen(report))
                .contains("grant pg_read_all_stats to " + role)
                .contains("Which rows of " + database.schema() + ".account are hot");
        assertThat(report.seen().samples().rowWaitShare()).isEmpty();

        holder.rollback();
        wait.get();
        waiter.rollback();
    }

    @Test
    void withReadAllStatsNothingOfOtherSessionsIsMissing() throws SQLException {
        database.execute("grant pg_read_all_stats to " + role);
        assertThat(unseen(examineAs(role, TestPostgres.shared()))).doesNotContain("grant");
    }

    @Test
    void aProbeCannotWriteAndLeavesTheSessionAsItWas() throws SQLException {
        TestPostgres server = TestPostgres.shared();
        try (ReadOnlySession session =
                ReadOnlySession.open(new ServerAddress(server.url(), server.user(), server.password()))) {
            assertThatThrownBy(() -> session.read(
                            connection -> execute(connection, "create table " + database.schema() + ".evil ()")))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
            String settings = session.read(DoctorPrivilegesTest::settings);
            assertThat(settings).isEqualTo("on|" + ReadOnlySession.STATEMENT_TIMEOUT.toSeconds() + "s");
        }
    }

    /** Behind the transaction pooler of somebody else, a setting of the session would stay in his. */
    @Test
    void whatIsSetEndsWithTheTransaction() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            String before = settings(connection);
            connection.commit();
            execute(connection, ReadOnlySession.BEGIN);
            assertThat(settings(connection)).isNotEqualTo(before);
            connection.commit();
            assertThat(settings(connection)).isEqualTo(before);
            connection.commit();
        }
    }

    private static String settings(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery("select current_setting('transaction_read_only') || '|'"
                        + " || current_setting('statement_timeout')")) {
            row.next();
            return row.getString(1);
        }
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }
}
