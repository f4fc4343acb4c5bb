package org.rowlock.jmh.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.BufferMappingBenchmark;
import org.rowlock.jmh.bench.DistinctKeysBenchmark;
import org.rowlock.jmh.bench.FastPathBenchmark;
import org.rowlock.jmh.bench.ProcArrayBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** The lightweight locks of the server behind the figures: published cases, and what advisory locks come to. */
final class LightweightLockScenarios {
    private static final int CROWD = 150;
    private static final Chart WAITS = new Chart(Chart.Kind.WAITS, "", "What the sessions waited for");

    private LightweightLockScenarios() {}

    static Scenario buffers() {
        return new Scenario(
                "lwlocks-buffers",
                "Buffer mapping: one inserter beside readers of pages that are not in memory",
                "Readers fetch 30 random rows a statement. In one variant these fit into shared_buffers, in the other"
                        + " they do not: then each read takes a buffer from another page, under the BufferMapping locks"
                        + " that everybody needs. What is left of the single inserter beside them? Without readers both"
                        + " variants are the same: that is its own speed. No row lock and no advisory lock is involved;"
                        + " it shows how such waits look.",
                "150 clients, small shared_buffers, 72 vCPU: the inserter falls from 3,000 tps to 0.",
                BufferMappingBenchmark.class,
                "readers",
                List.of(group(CROWD, 1, CROWD), group(30, 1, 30), group(0, 1, 0)),
                false,
                List.of("in-memory", "evicting"),
                "in-memory",
                List.of(
                        new Metric("insert", "inserter", "tx/s", Metric.Better.HIGHER),
                        new Metric("read", "readers", "reads/s", Metric.Better.HIGHER),
                        new Metric("buffers.read", "pages read into buffers", "pages/s", Metric.Better.NEITHER)),
                List.of(new Chart(Chart.Kind.BARS, "insert", "The inserter's throughput"), WAITS),
                Scenario.Rhythm.throughput(),
                Map.of("shared_buffers", "16MB"),
                Set.of());
    }

    static Scenario procArray() {
        return new Scenario(
                "lwlocks-procarray",
                "ProcArray: new connections beside clients that only take snapshots",
                "Clients run `select 1` 30 times a round trip, each with a snapshot of its own: ProcArrayLock, shared."
                        + " Ten others connect again and again, for which the server takes it exclusively, and sharers"
                        + " may overtake. The second variant adds one call that assigns a transaction id: its end takes"
                        + " the lock exclusively too, the sharers queue behind it, and newcomers get their turn. How"
                        + " many connections get in? On few cores the processor is what they wait for most.",
                "150 clients: 33 of 150 new connections never got in; diluted by one call that assigns an xid, they did.",
                ProcArrayBenchmark.class,
                "clients",
                List.of(group(CROWD, 10, CROWD), group(30, 10, 30), group(0, 10, 0)),
                false,
                List.of("selects", "selects-and-xid"),
                "selects",
                List.of(
                        new Metric("connections.in", "connections that got in", "1/s", Metric.Better.HIGHER),
                        new Metric("connections.out", "that did not within 10 s", "", Metric.Better.LOWER),
                        Metric.percentile("connecting", "0.50", "time to connect, p50"),
                        Metric.percentile("connecting", "0.99", "time to connect, p99"),
                        new Metric("select", "round trips of 30 selects", "1/s", Metric.Better.HIGHER)),
                List.of(
                        new Chart(Chart.Kind.BARS, "connections.in", "Connections per second that got in"),
                        new Chart(Chart.Kind.PERCENTILES, "connecting", "Time to connect"),
                        WAITS),
                Scenario.Rhythm.throughput(),
                // Sessions that have been closed are still there for a moment.
                Map.of("max_connections", "400"),
                Set.of());
    }

    static Scenario fastPath() {
        return new Scenario(
                "lwlocks-fastpath",
                "Fast path: readers of a table beside clients that truncate another",
                "A reader notes the lock of its table among its own, without the shared lock table, unless somebody holds"
                        + " or wants a strong lock of any table in the same of 1,024 partitions. Clients truncate an"
                        + " empty table: apart from the readers' partition in one variant, in it in the other. The"
                        + " tables are made until two collide. What do the readers lose, and do LockManager waits"
                        + " appear? Advisory locks always go through the shared lock table.",
                "10 clients truncate beside 150 readers: 830,000 reads/s fall to 145,000.",
                FastPathBenchmark.class,
                "readers",
                List.of(group(CROWD, CROWD, 10), group(30, 30, 10)),
                false,
                List.of("apart", "colliding"),
                "apart",
                List.of(
                        new Metric("read", "readers", "reads/s", Metric.Better.HIGHER),
                        new Metric("truncate", "truncating clients", "1/s", Metric.Better.NEITHER)),
                List.of(new Chart(Chart.Kind.BARS, "read", "The readers' throughput"), WAITS),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario keys() {
        return new Scenario(
                "lwlocks-keys",
                "Many different keys at full rate: what a lock costs where nobody waits for it",
                "Each client begins, locks one of 100,000 rows, reads it and commits. Two seldom want the same, so there"
                        + " is nothing for a better lock to win: a row lock writes the row's page and the WAL, an"
                        + " advisory lock takes an entry of the shared lock table and its LockManager locks. Which"
                        + " costs more, and do LockManager waits appear?",
                "",
                DistinctKeysBenchmark.class,
                "clients",
                List.of(Point.threads(90), Point.threads(10)),
                true,
                List.of("ROW", "BOTH", "ADVISORY", "NAIVE", "ROW+admission", "BOTH+admission", "ADVISORY+admission"),
                "ROW",
                List.of(
                        Metric.throughput("throughput"),
                        Metric.percentile("lock", "0.50", "lock p50"),
                        Metric.percentile("lock", "0.99", "lock p99"),
                        Metric.wal(),
                        Metric.perOperation("xids", "transaction ids per transaction", "")),
                List.of(
                        new Chart(Chart.Kind.BARS, Throughput.NAME, "Throughput"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction"),
                        WAITS),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    /** Threads of a benchmark's methods, in the order of their names. */
    private static Point group(int label, int... threads) {
        List<Integer> groups = Arrays.stream(threads).boxed().toList();
        return new Point(
                Integer.toString(label),
                groups.stream().mapToInt(Integer::intValue).sum(),
                groups,
                Map.of());
    }
}
