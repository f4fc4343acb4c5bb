package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Runs the demo in this JVM as a user would, and looks at the server behind its back. */
final class DemoProgram {
    static final int CLIENTS = 8;

    private final TestPostgres server;

    DemoProgram(TestPostgres server) {
        this.server = server;
    }

    record Result(int status, String out, String err) {}

    static Result run(DemoSettings settings) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = new TransferDemo(printing(out), printing(err)).run(settings);
        return new Result(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream printing(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** A short run against the server, as its superuser. */
    DemoSettings settings() {
        return new DemoSettings(server.url(), server.user(), server.password(), Duration.ofMillis(400), CLIENTS);
    }

    DemoSettings lasting(Duration perVariant) {
        return new DemoSettings(server.url(), server.user(), server.password(), perVariant, CLIENTS);
    }

    DemoSettings as(String user, String password) {
        return new DemoSettings(server.url(), user, password, Duration.ofMillis(400), CLIENTS);
    }

    DemoSettings withClients(int clients) {
        return new DemoSettings(server.url(), server.user(), server.password(), Duration.ofMillis(400), clients);
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String query(String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).as("a row of " + sql).isTrue();
            return row.getString(1);
        }
    }

    void awaitTrue(String sql) {
        Awaitility.await(sql)
                .atMost(TestDatabase.DEADLINE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> "t".equals(query(sql)));
    }

    void awaitTransfers() {
        awaitTrue("select exists (select from pg_stat_activity where application_name = 'rowlock-demo'"
                + " and query like 'update rowlock_demo.account%')");
    }

    /** A session needs a moment to end after its client has closed it. */
    void assertNothingLeftBehind() throws SQLException {
        assertThat(query("select to_regnamespace('rowlock_demo') is null"))
                .as("the schema is gone")
                .isEqualTo("t");
        awaitTrue("select not exists (select from pg_stat_activity where application_name = 'rowlock-demo')");
        assertThat(query("select count(*) from pg_locks where locktype = 'advisory'"
                        + " and database = (select oid from pg_database where datname = current_database())"))
                .as("advisory locks")
                .isEqualTo("0");
    }
}
