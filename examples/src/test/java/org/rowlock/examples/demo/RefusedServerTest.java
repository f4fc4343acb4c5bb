package org.rowlock.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rowlock.examples.demo.DemoProgram.Result;
import org.rowlock.testing.TestPostgres;

/** Servers that the demo cannot run on: one line that says why and what to do, and nothing created. */
class RefusedServerTest {
    private static final String GUEST = "rowlock_demo_guest";

    private final DemoProgram demo = new DemoProgram(TestPostgres.shared());

    @AfterEach
    void nothingIsLeftBehind() throws SQLException {
        demo.assertNothingLeftBehind();
    }

    @Test
    void oneThatCannotBeReached() {
        Result result =
                DemoProgram.run(new DemoSettings("jdbc:postgresql://localhost:1/x", null, null, Duration.ZERO, 4));

        assertRefused(result, "Cannot reach", "localhost:1/x", "-Drowlock.url");
    }

    @Test
    void oneOfAnotherKind() {
        Result result = DemoProgram.run(new DemoSettings("jdbc:mysql://localhost/x", null, null, Duration.ZERO, 4));

        assertRefused(result, "not a URL of the PostgreSQL driver", "jdbc:postgresql://");
    }

    @Test
    void oneWithoutTheDatabase() {
        String url = TestPostgres.shared().url().replaceFirst("/[^/?]+(\\?|$)", "/rowlock_no_such$1");
        DemoSettings settings = demo.settings();

        Result result = DemoProgram.run(new DemoSettings(url, settings.user(), settings.password(), Duration.ZERO, 4));

        assertRefused(result, "no such database", "rowlock_no_such");
    }

    @Test
    void oneThatRefusesThePassword(@TempDir Path directory) throws Exception {
        Path hba = Files.writeString(directory.resolve("pg_hba.conf"), """
                host all guest all scram-sha-256
                host all all all trust
                """);
        TestPostgres guarded = TestPostgres.embedded(Map.of("hba_file", hba.toString()));
        try {
            DemoProgram there = new DemoProgram(guarded);
            there.execute("create role guest login password 'right'");

            assertRefused(DemoProgram.run(there.as("guest", "wrong")), "refused the login", "-Drowlock.password");
            assertRefused(DemoProgram.run(there.as("guest", null)), "refused the login", "-Drowlock.password");
        } finally {
            guarded.stop();
        }
    }

    @Test
    void oneWhereTheUserMayNotCreateASchema() throws SQLException {
        asGuest("login", "may not create the schema rowlock_demo", "grant create on database");
    }

    @Test
    void oneThatIsReadOnly() throws SQLException {
        asGuest("login superuser; alter role " + GUEST + " set default_transaction_read_only = on", "read-only");
    }

    private void asGuest(String attributes, String... message) throws SQLException {
        demo.execute("create role " + GUEST + " password 'guest' " + attributes);
        try {
            assertRefused(DemoProgram.run(demo.as(GUEST, "guest")), message);
        } finally {
            demo.execute("drop role " + GUEST);
        }
    }

    @Test
    void oneThatHasASchemaOfThisName() throws SQLException {
        demo.execute("create schema rowlock_demo create table precious (id int)");
        try {
            assertRefused(
                    DemoProgram.run(demo.settings()),
                    "does not touch what it has not made",
                    "drop schema rowlock_demo cascade");
            assertThat(demo.query("select to_regclass('rowlock_demo.precious') is not null"))
                    .isEqualTo("t");
        } finally {
            demo.execute("drop schema rowlock_demo cascade");
        }
    }

    @Test
    void oneWithTooFewConnections() throws SQLException {
        int max = Integer.parseInt(demo.query("show max_connections"));

        assertRefused(
                DemoProgram.run(demo.withClients(max)),
                "no room",
                "max_connections = " + max,
                "-Drowlock.demo.clients");
    }

    private static void assertRefused(Result result, String... message) {
        assertThat(result.status()).isNotZero();
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("Rowlock demo: ").contains(message);
        assertThat(result.out()).doesNotContain("warm-up");
    }
}
