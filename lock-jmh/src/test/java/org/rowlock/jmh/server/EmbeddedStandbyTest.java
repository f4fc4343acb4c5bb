package org.rowlock.jmh.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.Threads;
import org.rowlock.tool.UserError;

/**
 * Checks that a commit is on the standby when the commit returns, and that closing the standby leaves nothing behind.
 */
@Tag("long")
class EmbeddedStandbyTest {
    private static final Map<String, String> SETTINGS = Map.of("max_connections", "120");

    private static String ask(Connection connection, String sql) throws SQLException {
        return TestDatabase.query(connection, sql);
    }

    @Test
    void everyCommitWaitsForIt() throws Exception {
        try (EmbeddedServer primary = EmbeddedServer.start(SETTINGS);
                Connection connection = primary.address().connect("test")) {
            Path directory;
            try (EmbeddedStandby standby = EmbeddedStandby.start(primary, SETTINGS, 5)) {
                assertThat(standby.description()).contains("synchronous", " ms away");
                assertThat(ask(connection, "select sync_state || ', ' || state from pg_stat_replication"))
                        .isEqualTo("sync, streaming");
                try (Statement statement = connection.createStatement();
                        Connection there = standby.server().address().connect("test")) {
                    directory = Path.of(ask(there, "show data_directory"));
                    statement.execute("set synchronous_commit = remote_apply");
                    statement.execute("create table t as select 42 as answer");
                    assertThat(ask(there, "select answer from t")).isEqualTo("42");
                    assertThat(ask(there, "select pg_is_in_recovery()")).isEqualTo("t");
                    // The standby receives WAL through the proxy, so the sender's port is not the primary's port.
                    assertThat(ask(there, "select sender_port from pg_stat_wal_receiver"))
                            .isNotEqualTo(Integer.toString(primary.port()));
                }
            }
            assertThat(directory).doesNotExist();
            assertThat(directory.getParent()).doesNotExist();
            waitsWithoutIt(primary, connection);
        }
    }

    private static void waitsWithoutIt(EmbeddedServer primary, Connection connection) throws Exception {
        int pid = connection.unwrap(PGConnection.class).getBackendPID();
        CompletableFuture<String> insert =
                Threads.start(() -> ask(connection, "insert into t values (43) returning answer"));
        try (Connection other = primary.address().connect("test")) {
            String waits = "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and pid = " + pid;
            TestDatabase.await("the commit waits").until(() -> ask(other, waits).equals("1"));
            ask(other, "select pg_cancel_backend(" + pid + ")");
        }
        TestDatabase.result(insert);
    }

    @Test
    void oneThatDoesNotStartLeavesThePrimaryAsItWas() throws Exception {
        try (EmbeddedServer primary = EmbeddedServer.start(SETTINGS)) {
            assertThatThrownBy(() -> EmbeddedStandby.start(primary, SETTINGS, -1))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("-1");
            try (Connection connection = primary.address().connect("test")) {
                assertThat(ask(connection, "show synchronous_standby_names")).isEmpty();
            }
        }
    }
}
