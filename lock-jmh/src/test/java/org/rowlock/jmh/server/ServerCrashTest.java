package org.rowlock.jmh.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.tool.UserError;

/** Checks which data survives a crash, and that the user's own server is never killed. */
class ServerCrashTest {
    @AfterEach
    void noServerGiven() {
        System.clearProperty("rowlock.url");
        System.clearProperty("rowlock.user");
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        return TestDatabase.query(connection, sql);
    }

    @Test
    void anEmbeddedServerComesBackWithWhatWasCommittedAndGoesInTheEnd() throws Exception {
        Path directory;
        try (BenchmarkServer server = BenchmarkServer.open(Map.of());
                Connection open = server.connect();
                Statement statement = open.createStatement()) {
            directory = Path.of(ask(open, "show data_directory"));
            String started = ask(open, "select pg_postmaster_start_time()");
            statement.execute("create table t as select 1 as committed");
            open.setAutoCommit(false);
            statement.execute("insert into t values (2)");
            ServerCrash.of(server).run();
            assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
            try (Connection connection = server.connect()) {
                assertThat(ask(connection, "select string_agg(committed::text, ' ') from t"))
                        .isEqualTo("1");
                assertThat(ask(connection, "select pg_postmaster_start_time()")).isNotEqualTo(started);
                assertThat(ask(connection, "show fsync")).isEqualTo("on");
            }
        }
        assertThat(directory).doesNotExist();
    }

    private static BenchmarkServer openGiven() throws SQLException {
        TestPostgres server = TestPostgres.shared();
        System.setProperty("rowlock.url", server.url());
        System.setProperty("rowlock.user", server.user());
        return BenchmarkServer.open(Map.of());
    }

    @Test
    void aGivenServerIsNotKilled() throws SQLException {
        try (BenchmarkServer server = openGiven()) {
            assertThatThrownBy(() -> ServerCrash.of(server))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("must not kill");
        }
    }
}
