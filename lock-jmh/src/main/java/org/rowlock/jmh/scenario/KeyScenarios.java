package org.rowlock.jmh.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.KeyCostBenchmark;
import org.rowlock.jmh.bench.KeyFormBenchmark;
import org.rowlock.jmh.bench.ManyKeysBenchmark;
import org.rowlock.jmh.bench.ReadAfterLockBenchmark;
import org.rowlock.jmh.scenario.Metric.Better;

/** What a lock costs a session that waits for nobody: by what is locked, how it is sent, and how much at a time. */
final class KeyScenarios {
    private static final List<String> ID_FORMS = List.of("int", "bigint", "uuid", "text", "composite");
    private static final Metric ALLOCATION =
            new Metric("gc.alloc.rate.norm", "allocation per operation", "B", Better.LOWER);
    private static final Metric XIDS = Metric.perOperation("xids", "transaction IDs per transaction", "");

    /** A few percent are to be told apart, so more rounds than where strategies differ by half. */
    private static final Scenario.Rhythm EXACT = new Scenario.Rhythm(5, 3_000, 1, 4_000, false);

    private KeyScenarios() {}

    static Scenario keys() {
        return new Scenario(
                "keys",
                "One lock: what the form of the id costs",
                "One session makes a key from an id, locks it and commits, nobody else is there. FOR_UPDATE is that statement by hand. ROW, BOTH and ADVISORY"
                        + " are Rowlock, which derives its key by the table's OID: for an int4 id the pair of both, for"
                        + " any other id 64 bits of md5. PAIR, MD5 and HASHTEXT are SQL written by hand that makes its"
                        + " keys in these ways and checks nothing: neither the table, nor whether the transaction is"
                        + " one that can lock.",
                "",
                KeyFormBenchmark.class,
                "id",
                ID_FORMS.stream()
                        .map(form -> Point.of(form, 1, Map.of("id", form)))
                        .toList(),
                false,
                List.of("FOR_UPDATE", "ROW", "BOTH", "ADVISORY", "PAIR", "MD5", "HASHTEXT"),
                "FOR_UPDATE",
                List.of(time("transaction", "us"), ALLOCATION, Metric.wal(), XIDS, Metric.multixacts()),
                List.of(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Time to lock and commit"),
                        new Chart(Chart.Kind.BARS, ALLOCATION.key(), "Allocation in the client")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario keyCost() {
        return new Scenario(
                "key-cost",
                "Making a key and its SQL, without a server",
                "What the library itself does for a lock, from an id to the text of the statement that the driver takes"
                        + " over. No server is asked. For an int4 or bigint id with ADVISORY it is to take less than 100 ns"
                        + " and 200 bytes.",
                "",
                KeyCostBenchmark.class,
                "id",
                ID_FORMS.stream()
                        .map(form -> Point.of(form, 1, Map.of("id", form)))
                        .toList(),
                false,
                List.of("ROW", "BOTH", "ADVISORY"),
                "ROW",
                List.of(time("key", "ns"), ALLOCATION),
                List.of(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Time to make a key and its SQL"),
                        new Chart(Chart.Kind.BARS, ALLOCATION.key(), "Allocation")),
                new Scenario.Rhythm(3, 3_000, 1, 2_000, false),
                Map.of(),
                Set.of(Scenario.Need.NO_SERVER));
    }

    static Scenario readAfterLock() {
        return new Scenario(
                "read-after-lock",
                "Lock a row, read it, commit: one session",
                "How long the commonest use of FOR UPDATE takes when nobody is in the way. FOR_UPDATE is that statement by"
                        + " hand. NAIVE is an advisory lock and then the read, two statements by hand. ROW, BOTH and"
                        + " ADVISORY are Rowlock, which sends lock and read together; HAND_WRITTEN is what Rowlock sends"
                        + " with ADVISORY, as plain JDBC, so the difference is what the library costs. SELECT reads"
                        + " without any lock: the limit.",
                "",
                ReadAfterLockBenchmark.class,
                "clients",
                List.of(Point.threads(1)),
                false,
                List.of(
                        "FOR_UPDATE",
                        "NAIVE",
                        "ROW",
                        "BOTH",
                        "ADVISORY",
                        "ADVISORY+admission",
                        "HAND_WRITTEN",
                        "SELECT"),
                "FOR_UPDATE",
                List.of(
                        time("transaction", "us"),
                        new Metric("roundTrips", "round trips", "", Better.LOWER),
                        ALLOCATION,
                        Metric.wal(),
                        XIDS,
                        Metric.multixacts()),
                List.of(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "Time to lock, read and commit"),
                        new Chart(Chart.Kind.BARS, "roundTrips", "Round trips"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction")),
                EXACT,
                Map.of(),
                Set.of());
    }

    static Scenario manyKeys() {
        return new Scenario(
                "many-keys",
                "Many rows locked in one transaction",
                "Four clients lock 1, 10, 100 or 1,000 rows in one call and commit: each out of its own rows (disjoint),"
                        + " all out of the same, twice as many as one locks (overlapping), or out of their own and then"
                        + " updating them all (updated). FOR_UPDATE is that statement by hand, NAIVE advisory locks by hand, unchecked. Every advisory"
                        + " lock is an entry in the server's lock table, which has room for a number of them and serves"
                        + " all sessions; row locks are in the rows, and have no limit.",
                "",
                ManyKeysBenchmark.class,
                "keys",
                manyKeysPoints(),
                false,
                List.of("FOR_UPDATE", "ROW", "BOTH", "ADVISORY", "ADVISORY+admission", "NAIVE"),
                "FOR_UPDATE",
                List.of(
                        Metric.throughput("throughput"),
                        new Metric("perKey", "time per key", "us", Better.LOWER),
                        new Metric("lockTable", "lock-table entries per transaction", "", Better.LOWER),
                        new Metric("lockTableFilled", "lock table filled by all clients", "%", Better.LOWER),
                        Metric.percentile("lock", "0.50", "lock p50"),
                        Metric.percentile("lock", "0.99", "lock p99"),
                        Metric.wal()),
                List.of(
                        new Chart(Chart.Kind.BARS, "perKey", "Time of a transaction per key"),
                        new Chart(Chart.Kind.BARS, "lockTable", "Lock-table entries per transaction"),
                        new Chart(Chart.Kind.BARS, "pg.wal", "WAL per transaction"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                new Scenario.Rhythm(3, 1_000, 1, 3_000, false),
                Map.of(),
                Set.of());
    }

    private static List<Point> manyKeysPoints() {
        List<Point> points = new ArrayList<>();
        for (String kind : List.of("disjoint", "overlapping", "updated")) {
            for (int keys : List.of(1, 10, 100, 1_000)) {
                points.add(Point.of(
                                String.format(Locale.ROOT, "%,d %s", keys, kind),
                                4,
                                Map.of(
                                        "keys", Integer.toString(keys),
                                        "overlapping", Boolean.toString(kind.equals("overlapping")),
                                        "update", Boolean.toString(kind.equals("updated"))))
                        .locking(keys));
            }
        }
        return points;
    }

    private static Metric time(String what, String unit) {
        return new Metric(Metric.SCORE, "time per " + what, unit, Better.LOWER);
    }
}
