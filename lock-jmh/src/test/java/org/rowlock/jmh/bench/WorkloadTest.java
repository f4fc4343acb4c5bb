package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.rowlock.jmh.testing.JmhRuns;

/** Checks the results that JMH shows for a workload without Rowlock's commands. */
@Tag("long")
class WorkloadTest {
    /**
     * The score must agree with the server's counters. A sum of JMH's rates per thread would be several times as large,
     * because most threads wait for a row.
     */
    @ParameterizedTest
    @ValueSource(strings = {"ROW", "ADVISORY"})
    void theScoreIsWhatTheServerHasCommitted(String strategy) throws Exception {
        Map<String, Double> figures =
                JmhRuns.figures(JmhRuns.run(Zipfian.class, 8, "strategy", strategy, "clients", "60", "zipf", "5"));
        double counted = figures.get("wal.rate") / figures.get("wal");
        assertThat(figures.get("score")).isBetween(counted / 4, counted * 4);
        // Each commit has an xid. The server assigned some of the xids before the window.
        assertThat(figures.get("xids")).isGreaterThan(0.4);
        assertThat(figures).containsKeys("lock.p99", "lock.max", "cpu.client", "cpu.server", "net.roundTrip");
    }

    @Test
    void clientsAreNotThreadsOfJmhs() {
        assertThat(JmhRuns.failure(Zipfian.class, "strategy", "ROW", "-t", "4"))
                .anyMatch(message -> message.contains("-p clients=4"));
    }

    @Test
    void anotherModeIsRefused() {
        assertThat(JmhRuns.failure(Zipfian.class, "strategy", "ROW", "-bm", "avgt"))
                .anyMatch(message -> message.contains("-bm avgt was given"));
    }

    @Test
    void aStrategyThatItHasNoFormOfIsRefused() {
        assertThat(JmhRuns.failure(Zipfian.class, "strategy", "OPTIMISTIC"))
                .anyMatch(message -> message.contains("There is no OPTIMISTIC in this benchmark. Give another one"));
    }

    @Test
    void aNetworkIsInForce() throws Exception {
        Map<String, Double> figures =
                JmhRuns.figures(JmhRuns.run(Zipfian.class, "strategy", "BOTH", "clients", "2", "rttMillis", "5"));
        // Only the lower bound holds on every machine. A lock, three updates and a commit take five round trips.
        assertThat(figures.get("net.roundTrip")).isGreaterThan(4.5);
        assertThat(figures.get("score")).isLessThan(200);
    }

    @Test
    void lockersLockAtTheirRate() throws Exception {
        Map<String, Double> figures = JmhRuns.figures(
                JmhRuns.run(Bystander.class, 4, "strategy", "ADVISORY", "clients", "1", "lockers", "2", "rate", "50"));
        // On a busy machine a short window may count a lock of the window before. Without a rate there are thousands.
        assertThat(figures.get("lockers")).isBetween(10.0, 200.0);
        assertThat(figures).containsKeys("lock.p99", "bystander.p99");
    }

    @Test
    void anIdlePoolHasNoLockers() throws Exception {
        assertThat(JmhRuns.figures(JmhRuns.run(Bystander.class, "strategy", "ROW", "idle", "true", "reading", "true")))
                .doesNotContainKey("lock.p50")
                .containsKey("bystander.p99");
    }

    @Test
    void moreJvmsThanClientsAreNoMoreThanClients() throws Exception {
        assertThat(JmhRuns.figures(JmhRuns.run(
                        Instances.class, "strategy", "BOTH", "admission", "true", "clients", "3", "jvms", "40")))
                .containsKey("transaction.p99");
    }

    @Test
    void aCanaryHasItsOwnFigures() throws Exception {
        String[] params = {"strategy", "FOR_UPDATE", "wrapper", "queue", "clients", "4", "jvms", "2", "canaries", "1"};
        assertThat(JmhRuns.figures(JmhRuns.run(Instances.class, params)))
                .containsKeys("canary.share", "canary.start", "canary.max", "transaction.max");
    }

    @Test
    void aLockTableTooSmallIsRefusedBeforeItIsFilled() {
        assertThat(JmhRuns.failure(ManyKeys.class, "strategy", "ADVISORY", "clients", "4", "keys", "1000000"))
                .anyMatch(message -> message.contains("4 clients with 1000000 advisory locks each are 4000000"));
    }

    @Test
    void theHolderOfTheHorizonComesAndGoes() throws Exception {
        RunResult result = JmhRuns.run(Vacuum.class, 4, "strategy", "ADVISORY", "clients", "4");
        BenchmarkResult round = result.getBenchmarkResults().iterator().next();
        List<Double> ages = round.getIterationResults().stream()
                .map(window -> score(window, "vacuum.xminAge"))
                .toList();
        assertThat(ages).hasSize(4);
        assertThat(ages.get(0)).isZero();
        assertThat(ages.get(1)).isPositive();
        assertThat(ages.get(2)).isZero();
        assertThat(JmhRuns.figures(result)).containsKeys("vacuum.free", "vacuum.held", "vacuum.stall");
    }

    private static double score(IterationResult window, String label) {
        return window.getSecondaryResults().get(label).getScore();
    }
}
