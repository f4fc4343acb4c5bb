package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.AutovacuumBenchmark;
import org.rowlock.jmh.bench.HorizonBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** Throughput over time, while something happens to it. */
final class TimelineScenarios {
    /** So many that they meet on the hot rows, and few enough that two cores serve them. */
    private static final int CLIENTS = 30;

    private static final List<String> VARIANTS =
            List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission");

    private TimelineScenarios() {}

    static Scenario horizon() {
        return new Scenario(
                "horizon",
                "Hot rows while another transaction holds the vacuum horizon",
                "The work of zipfian while an idle transaction, such as a long report or a forgotten session, keeps its"
                        + " snapshot for the middle of the run. No row version that was alive when it began, nor any made"
                        + " since, may be removed, so each update has a longer chain to walk. Autovacuum could"
                        + " not either, and is off for the table. No lock strategy cures"
                        + " that; how much throughput is left of each, and does it come back when the transaction"
                        + " ends?",
                "597 tps fall to 102 in 15 minutes and to 50 in 50, and recover at once when the holder ends.",
                HorizonBenchmark.class,
                "clients",
                List.of(Point.threads(CLIENTS)),
                true,
                VARIANTS,
                "ROW",
                List.of(
                        new Metric("horizon.held", "throughput late in the hold", "tx/s", Metric.Better.HIGHER),
                        new Metric("horizon.before", "throughput before it", "tx/s", Metric.Better.HIGHER),
                        new Metric("horizon.after", "throughput after it", "tx/s", Metric.Better.HIGHER),
                        new Metric("horizon.deadTuples", "most dead row versions", "", Metric.Better.LOWER),
                        new Metric("horizon.xminAge", "age of the holder's snapshot", "xids", Metric.Better.NEITHER),
                        new Metric("horizon.xidAge", "age of the holder's xid", "xids", Metric.Better.NEITHER),
                        new Metric("horizon.others", "age of anybody else's, oldest", "xids", Metric.Better.NEITHER),
                        Metric.percentile("lock", "0.99", "lock p99")),
                List.of(
                        new Chart(Chart.Kind.TIMELINE, Throughput.NAME, "Throughput, second by second"),
                        new Chart(Chart.Kind.TIMELINE, "horizon.deadTuples", "Dead row versions"),
                        new Chart(
                                Chart.Kind.TIMELINE,
                                "horizon.xminAge",
                                "Who holds the horizon: age of the idle transaction's snapshot (backend_xmin)"),
                        new Chart(
                                Chart.Kind.TIMELINE,
                                "horizon.others",
                                "Who holds the horizon: age of anybody else's, the oldest")),
                seconds(40),
                Map.of(),
                Set.of());
    }

    static Scenario autovacuum() {
        return new Scenario(
                "autovacuum",
                "Hot rows while autovacuum comes to them all the time",
                "The work of zipfian on a table whose storage parameters call autovacuum after 50 dead row versions, at"
                        + " full speed. A session that waits for a row lock keeps the row's page pinned, so that"
                        + " neither vacuum nor anybody else may tidy it up; one that waits for an advisory lock, or"
                        + " in the admission queue, does not. Does throughput stall, and for how long? On a server that"
                        + " looks for work seldom (autovacuum_naptime) few vacuums run; their number is shown.",
                "An advisory lock in front of the row lock is said to smooth the stalls; no figures.",
                AutovacuumBenchmark.class,
                "clients",
                List.of(Point.threads(CLIENTS)),
                true,
                VARIANTS,
                "ROW",
                List.of(
                        Metric.throughput("throughput"),
                        new Metric("autovacuum.stall", "longest time without a commit", "ms", Metric.Better.LOWER),
                        new Metric("autovacuum.runs", "autovacuums that ran", "", Metric.Better.NEITHER),
                        new Metric("autovacuum.deadTuples", "most dead row versions", "", Metric.Better.LOWER),
                        Metric.percentile("lock", "0.99", "lock p99")),
                List.of(
                        new Chart(Chart.Kind.TIMELINE, Throughput.NAME, "Throughput, second by second"),
                        new Chart(
                                Chart.Kind.TIMELINE,
                                "autovacuum.stall",
                                "Longest time without a commit, second by second"),
                        new Chart(Chart.Kind.TIMELINE, "autovacuum.deadTuples", "Dead row versions"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                seconds(30),
                Map.of("autovacuum_naptime", "1s"),
                Set.of());
    }

    /** With a warm-up that is long enough that a cold JVM does not look like a rise. */
    private static Scenario.Rhythm seconds(int seconds) {
        return new Scenario.Rhythm(1, 5_000, seconds, 1_000, false);
    }
}
