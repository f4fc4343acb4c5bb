package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.rowlock.jmh.bench.ShareBenchmark;
import org.rowlock.jmh.bench.ShareFairnessBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** Shared locks: what they cost, and what they do to a writer. */
final class SharingScenarios {
    private static final List<String> VARIANTS =
            List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission");

    private SharingScenarios() {}

    static Scenario share() {
        return new Scenario(
                "share",
                "Shared locks: 1,000 neighbouring rows in one transaction",
                "Each client begins, locks the same 1,000 rows FOR SHARE in one call, and commits; it writes nothing."
                        + " A row lock is written into every row, and where clients meet, MultiXacts are made."
                        + " An advisory lock is an entry in the lock table: 1,000 of them a client, for which the server"
                        + " must have room.",
                "36 tx/s with FOR SHARE, and pg_multixact grew to 5.3 GB.",
                ShareBenchmark.class,
                "clients",
                Stream.of(1, 4)
                        .map(clients -> Point.threads(clients).locking(1_000))
                        .toList(),
                true,
                VARIANTS,
                "ROW",
                List.of(
                        Metric.throughput("throughput"),
                        Metric.wal(),
                        Metric.multixacts(),
                        Metric.percentile("lock", "0.50", "1,000 locks, p50"),
                        Metric.percentile("lock", "0.99", "1,000 locks, p99")),
                List.of(
                        new Chart(Chart.Kind.BARS, Throughput.NAME, "Throughput"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction"),
                        new Chart(Chart.Kind.BARS, "pg.multixacts", "MultiXacts per transaction"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario shareFairness() {
        return new Scenario(
                "share-fairness",
                "Shared locks: does a writer get in?",
                "Sharers lock one row FOR SHARE, hold it for 20 ms each, and begin again at once. A writer locks it"
                        + " FOR UPDATE, updates it, commits and pauses for 25 to 75 ms. Sharers overtake a writer that waits"
                        + " for a row lock; an advisory lock lets in who came first, so it waits for one hold at most."
                        + " A wait that lasts until the measurement ends is cut short there: then the figure is how long"
                        + " was measured, not how long the writer would have waited.",
                "",
                ShareFairnessBenchmark.class,
                "sharers",
                Stream.of(1, 2, 4, 8, 16)
                        .map(sharers ->
                                new Point(Integer.toString(sharers), sharers + 1, List.of(sharers, 1), Map.of()))
                        .toList(),
                false,
                VARIANTS,
                "ROW",
                List.of(
                        Metric.percentile("writer", "0.50", "the writer's wait, p50"),
                        Metric.percentile("writer", "0.99", "the writer's wait, p99"),
                        new Metric("write", "writes", "tx/s", Metric.Better.HIGHER),
                        new Metric("share", "sharers' throughput", "tx/s", Metric.Better.NEITHER),
                        Metric.wal(),
                        Metric.multixacts()),
                List.of(
                        new Chart(Chart.Kind.CURVE, "writer:p0.50", "The writer's wait over sharers, p50"),
                        new Chart(Chart.Kind.CURVE, "writer:p0.99", "The writer's wait over sharers, p99"),
                        new Chart(Chart.Kind.CURVE, "write", "Writes per second over sharers"),
                        new Chart(Chart.Kind.PERCENTILES, "writer", "The writer's wait")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }
}
