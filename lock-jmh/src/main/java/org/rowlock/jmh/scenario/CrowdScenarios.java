package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.BystanderBenchmark;
import org.rowlock.jmh.bench.PoolBenchmark;

/** What a crowd that locks does to others that do not. */
final class CrowdScenarios {
    private static final List<String> VARIANTS =
            List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission");

    /** What row locks, alone and behind a queue, can keep beside 40 bystanders on 2 cores. */
    private static final Map<String, String> RATE = Map.of("rate", "100");

    private static final Map<String, String> POOL = Map.of("poolSize", "16");

    private CrowdScenarios() {}

    static Scenario bystander() {
        return new Scenario(
                "bystander",
                "Plain updates beside others that lock the same rows",
                "40 clients update one of 100 rows three times in a transaction, picked by zipf(1..100, s = 1.1), without a"
                        + " lock of their own. Beside them 10 lock rows picked in the same way, read them and commit: 100"
                        + " a second, the same for every variant, so that a cheap lock is not punished by being taken more"
                        + " often. Where fewer were made the rate was not kept: the bystanders had less beside them than"
                        + " with the others, and the locks' latency, which counts from when each was due, grows with the"
                        + " time measured. Mind what is compared: an advisory lock"
                        + " alone does not keep the plain updates out, and that is why they do not feel it.",
                "Bystanders made 3,446 tps beside advisory locks and 2,535 beside FOR UPDATE.",
                BystanderBenchmark.class,
                "lockers",
                List.of(crowd("10", 40, 10, RATE), crowd("none", 40, 0, RATE)),
                false,
                VARIANTS,
                "ROW",
                List.of(
                        new Metric("bystanders", "bystanders' throughput", "tx/s", Metric.Better.HIGHER),
                        Metric.percentile("bystander", "0.50", "bystanders p50"),
                        Metric.percentile("bystander", "0.99", "bystanders p99"),
                        new Metric("lockers", "locks, 100 wanted", "tx/s", Metric.Better.NEITHER),
                        Metric.percentile("lock", "0.50", "lock p50"),
                        Metric.percentile("lock", "0.99", "lock p99"),
                        Metric.wal()),
                List.of(
                        new Chart(Chart.Kind.BARS, "bystanders", "The bystanders' throughput"),
                        new Chart(Chart.Kind.PERCENTILES, "bystander", "The bystanders' transactions"),
                        new Chart(Chart.Kind.BARS, "lockers", "Locks in the background"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario pool() {
        return new Scenario(
                "pool",
                "One hot row, and the rest of the service",
                "300 threads lock one row, update it and commit; 4 others read unrelated rows. All share a pool of 16"
                        + " connections. What do the others notice? Without admission the hot threads take every"
                        + " connection and wait with it; with admission they wait before they borrow one. With no hot"
                        + " threads it is the idle pool that all are to be compared with.",
                "",
                PoolBenchmark.class,
                "hot threads",
                List.of(
                        crowd("300", 300, 4, POOL).sharing(16),
                        crowd("none", 0, 4, POOL).sharing(16)),
                false,
                VARIANTS,
                "ROW",
                List.of(
                        Metric.percentile("other", "0.99", "the others' p99"),
                        Metric.percentile("other", "0.50", "the others' p50"),
                        new Metric("others", "the others' throughput", "tx/s", Metric.Better.HIGHER),
                        new Metric("hot", "the hot row's throughput", "tx/s", Metric.Better.HIGHER),
                        Metric.percentile("lock", "0.50", "hot lock p50"),
                        Metric.percentile("lock", "0.99", "hot lock p99")),
                List.of(
                        new Chart(Chart.Kind.BARS, "other:p0.99", "The others' p99"),
                        new Chart(Chart.Kind.PERCENTILES, "other", "What the others wait for a row"),
                        new Chart(Chart.Kind.BARS, "hot", "The hot row's throughput"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    private static Point crowd(String label, int first, int second, Map<String, String> params) {
        return new Point(label, first + second, List.of(first, second), params);
    }
}
