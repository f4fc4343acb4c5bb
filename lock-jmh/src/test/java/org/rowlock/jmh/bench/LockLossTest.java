package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rowlock.jmh.server.BenchmarkServer;
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
        return new Locking(strategy, false, unpooled, Tokens.TABLE, "id");
    }

    @Test
    void aServerThatIsNotOursIsNotKilled() {
        assertThat(JmhRuns.failure(LockLoss.class, "strategy", "ADVISORY", "locks", "100"))
                .anyMatch(message -> message.contains("must not kill"));
    }
}
