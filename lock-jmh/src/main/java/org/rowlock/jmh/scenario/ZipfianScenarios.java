package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.ZipfianBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** The published workload, and the same over the number of clients. */
final class ZipfianScenarios {
    private static final List<Metric> METRICS = List.of(
            Metric.throughput("throughput"),
            Metric.percentile("lock", "0.50", "lock p50"),
            Metric.percentile("lock", "0.95", "lock p95"),
            Metric.percentile("lock", "0.99", "lock p99"),
            Metric.wal());

    private ZipfianScenarios() {}

    static Scenario zipfian() {
        return new Scenario(
                "zipfian",
                "Hot rows: lock one of 100, update it three times",
                "Each client picks a row by zipf(1..100, s = 1.1), begins, locks it, updates it three times and commits."
                        + " The same on uniform keys, where two clients seldom meet, is the limit to compare with.",
                "90 clients, 600 s, 4 cores, PostgreSQL 12: the lock statement took 66.5 ms with FOR UPDATE and 35.5 ms"
                        + " with an advisory lock.",
                ZipfianBenchmark.class,
                "keys",
                List.of(
                        Point.of("zipf", 90, Map.of("keys", "zipf")),
                        Point.of("uniform", 90, Map.of("keys", "uniform"))),
                false,
                List.of(
                        "ROW",
                        "BOTH",
                        "ADVISORY",
                        "NAIVE",
                        "ADVISORY+pipelined",
                        "ROW+admission",
                        "BOTH+admission",
                        "ADVISORY+admission",
                        "ADVISORY+pipelined+admission"),
                "ROW",
                METRICS,
                List.of(
                        new Chart(Chart.Kind.BARS, Throughput.NAME, "Throughput"),
                        new Chart(Chart.Kind.PERCENTILES, "lock", "Time to get the lock"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario clients() {
        return new Scenario(
                "clients",
                "Hot rows: from one client to hundreds",
                "The work of zipfian over the number of clients: where does each strategy saturate, and what is left of"
                        + " its best with hundreds?",
                "Saturation near 10 clients; FOR UPDATE falls off much faster.",
                ZipfianBenchmark.class,
                "clients",
                List.of(1, 2, 4, 10, 30, 90, 200, 300).stream()
                        .map(Point::threads)
                        .toList(),
                true,
                List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"),
                "ROW",
                METRICS,
                List.of(
                        new Chart(Chart.Kind.CURVE, Throughput.NAME, "Throughput over clients"),
                        new Chart(Chart.Kind.CURVE, "lock:p0.99", "Time to get the lock, p99"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }
}
