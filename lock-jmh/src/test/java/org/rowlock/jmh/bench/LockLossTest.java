package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.server.EmbeddedServer;
import org.rowlock.jmh.testing.JmhRuns;

/** A server is killed for each, so these are few. */
@Tag("long")
class LockLossTest {
    @Test
    void aLockThatLetsTwoInFailsTheRun() {
        RunnerException failure = catchThrowableOfType(
                RunnerException.class,
                () -> JmhRuns.runWith(LockLoss.class, 1, List.of(), "strategy", "NONE", "locks", "100"));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure))
                .anyMatch(message -> message.startsWith("Invariant violated: after the crash there are "));
    }

    @Test
    void aServerThatIsNotOursIsNotKilled() {
        assertThat(JmhRuns.failure(LockLoss.class, "strategy", "ADVISORY", "locks", "100"))
                .anyMatch(message -> message.contains("-Drowlock.crash-command='..'"));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aServerOfTheUsersIsKilledByCommandAndKeepsHalfOfItsLockTable() throws Exception {
        Map<String, String> settings = Map.of("max_connections", "50", "max_locks_per_transaction", "64");
        try (EmbeddedServer server = EmbeddedServer.start(settings)) {
            String directory;
            try (Connection connection = server.address().connect("test");
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("show data_directory")) {
                row.next();
                directory = row.getString(1);
            }
            // As a user would: kill the postmaster, and start it again as soon as its processes are gone.
            String command =
                    "cd '" + directory + "' && kill -9 $(head -n 1 postmaster.pid) && rm postmaster.pid && until "
                            + (LinuxUtils.isUnshareAvailable() ? "unshare -U " : "")
                            + "$(sed 's/ \".*//; s/postgres$/pg_ctl/' postmaster.opts) restart -w -D . -l restart.log >&2;"
                            + " do sleep 0.1; done";
            Map<String, Double> figures = JmhRuns.figures(JmhRuns.runWith(
                    LockLoss.class,
                    1,
                    List.of("-Drowlock.url=" + server.address().url(), "-Drowlock.crash-command=" + command),
                    "strategy",
                    "BOTH",
                    "locks",
                    "10000"));
            assertThat(figures).containsEntry("locksHeld", 50 * 64 / 2.0);
            assertThat(figures.get("commits")).isGreaterThan(2_000);
            assertThat(figures.get("firstGrant")).isPositive();
        }
    }
}
