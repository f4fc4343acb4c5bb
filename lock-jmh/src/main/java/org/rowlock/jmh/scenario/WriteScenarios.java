package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.GuardBenchmark;
import org.rowlock.jmh.bench.WriteMixBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** Transactions of nothing but writes: optimistic against pessimistic, and what watches them. */
final class WriteScenarios {
    private WriteScenarios() {}

    static Scenario writeMix() {
        return new Scenario(
                "write-mix",
                "Inserts, updates and deletes: a version column against three ways to lock",
                "The mix of sysbench's oltp_write_only on 10,000 rows: update an indexed column of one row, another column"
                        + " of a second, delete a third and insert it again. The rows are read first, and what is written"
                        + " is computed from them. OPTIMISTIC has a version column and no lock: where another transaction"
                        + " was faster it tries again, and after 10 retries it counts as failed, and is run again. The others lock all three rows"
                        + " at once. Zipfian ids let transactions meet all the time, uniform ids hardly ever: there a"
                        + " lock of any kind is only a cost. ROW retries too: a row lock that waited for a row which its"
                        + " holder deleted and inserted again comes back with nothing.",
                "TiDB 6.0, sysbench oltp_write_only: in-memory pessimistic locks before optimistic before pipelined before"
                        + " plain pessimistic locks; in-memory locks gave 30 to 35 % more tps and 15 % less latency.",
                WriteMixBenchmark.class,
                "ids",
                List.of(
                        Point.of("zipf, 10 clients", 10, Map.of("keys", "zipf")),
                        Point.of("zipf, 90 clients", 90, Map.of("keys", "zipf")),
                        Point.of("uniform, 90 clients", 90, Map.of("keys", "uniform"))),
                false,
                List.of(
                        "OPTIMISTIC",
                        "ROW",
                        "BOTH",
                        "ADVISORY",
                        "ROW+admission",
                        "BOTH+admission",
                        "ADVISORY+admission"),
                "ROW",
                List.of(
                        Metric.throughput("commits"),
                        Metric.percentile("transaction", "0.50", "transaction p50, with retries"),
                        Metric.percentile("transaction", "0.95", "transaction p95"),
                        Metric.percentile("transaction", "0.99", "transaction p99"),
                        new Metric("retries", "retries per transaction", "", Metric.Better.LOWER),
                        new Metric(
                                "failedCommits", "failed after 10 retries, per transaction", "", Metric.Better.LOWER),
                        Metric.wal()),
                List.of(
                        new Chart(Chart.Kind.BARS, Throughput.NAME, "Commits per second"),
                        new Chart(Chart.Kind.PERCENTILES, "transaction", "A transaction with all its retries"),
                        new Chart(Chart.Kind.BARS, "retries", "Retries per transaction"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario guard() {
        return new Scenario(
                "guard",
                "What guard and audit of a table cost its writers",
                "One session updates rows in one statement and commits, without a lock (PLAIN) or behind Rowlock's. GUARDED:"
                        + " each row's key is taken by a trigger, so that nobody who locks is overlooked. AUDITED: each"
                        + " statement's rows are compared with the locks of its transaction; SAMPLED: one statement of a"
                        + " hundred. Nobody else is there, and commits do not wait for the disk. The schema rowlock is made for it and dropped, unless the"
                        + " database has one.",
                "",
                GuardBenchmark.class,
                "rows",
                List.of(
                        Point.of("1 row", 1, Map.of("rows", "1")),
                        Point.of("100 rows", 1, Map.of("rows", "100")).locking(100)),
                false,
                List.of(
                        "PLAIN",
                        "PLAIN_GUARDED",
                        "PLAIN_SAMPLED",
                        "PLAIN_AUDITED",
                        "ADVISORY",
                        "ADVISORY_GUARDED",
                        "BOTH",
                        "BOTH_SAMPLED",
                        "BOTH_AUDITED"),
                "PLAIN",
                List.of(
                        new Metric(Metric.SCORE, "time per transaction", "us", Metric.Better.LOWER),
                        Metric.wal(),
                        Metric.perOperation("xids", "transaction IDs per transaction", "")),
                List.of(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Time to update and commit"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction")),
                new Scenario.Rhythm(5, 2_000, 1, 3_000, false),
                Map.of(),
                Set.of());
    }
}
