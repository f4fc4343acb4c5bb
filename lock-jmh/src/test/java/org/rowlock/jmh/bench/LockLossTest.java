package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.util.LinuxUtils;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.EmbeddedServer;
import org.rowlock.jmh.server.ServerCrash;
import org.rowlock.jmh.testing.JmhRuns;

/** A server is killed for each, so these are few. */
@Tag("long")
class LockLossTest {
    private static final int KEYS = 2_000;
    private static final int COMMITS = 1_000;

    /**
     * Each lock is a fencing token to be raised by one; in the end the server is compared with what the clients know.
     */
    @ParameterizedTest
    @EnumSource(
            value = Strategy.class,
            names = {"ROW", "BOTH", "ADVISORY"})
    void noCommitAndNoLockIsLostWithTheServer(Strategy strategy) throws Exception {
        assertThatCode(crashed(strategy)::check).doesNotThrowAnyException();
    }

    @Test
    void aLockThatLetsTwoInIsFound() throws Exception {
        LossLedger.Verdict verdict = crashed(Strategy.NONE);
        assertThatThrownBy(verdict::check).hasMessageContaining("after the crash there are ");
    }

    private static LossLedger.Verdict crashed(Strategy strategy) throws Exception {
        try (BenchmarkServer server = BenchmarkServer.open(Map.of("max_locks_per_transaction", "256"))) {
            ServerCrash crash = ServerCrash.of(server);
            int keys = KEYS + LossClients.FREE_KEYS;
            LossLedger ledger = new LossLedger(keys + 1);
            Tokens.create(server, keys);
            Outage outage;
            try (Connection connection = server.connect()) {
                outage = new Outage(connection);
            }
            DataSource unpooled = server.dataSource();
            try (LossHolders holders = LossHolders.lock(locking(strategy, unpooled), unpooled, ledger, KEYS);
                    LossClients crowd = new LossClients(locking(strategy, unpooled), unpooled, ledger, outage, KEYS)) {
                crowd.start(20);
                crowd.awaitCommits(COMMITS);
                crash.run();
                assertThat(outage.firstGrantNanos()).isPositive();
                // Others are inside their locks by now, and they do not know.
                holders.commit();
                try (LossHolders again = LossHolders.lock(locking(strategy, unpooled), unpooled, ledger, KEYS)) {
                    again.commit();
                }
                crowd.awaitCommits(COMMITS);
            }
            outage.check();
            try (Connection connection = server.connect()) {
                return ledger.compare(Tokens.journal(connection), Tokens.raised(connection));
            }
        }
    }

    private static Locking locking(Strategy strategy, DataSource unpooled) {
        return new Locking(strategy, false, unpooled, Tokens.TABLE, List.of("id"));
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
            assertThat(figures).containsEntry("locksHeld", 2 * 50 * 64 / 2.0);
            assertThat(figures.get("firstGranted")).isPositive();
            assertThat(figures.get("allGranted")).isPositive();
        }
    }
}
