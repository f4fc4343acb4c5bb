package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.PlanTrapBenchmark;
import org.rowlock.jmh.bench.QueueBenchmark;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.scenario.Metric.Better;

/** Taking rows that nobody else holds: FOR UPDATE SKIP LOCKED against a claim. */
final class QueueScenarios {
    private QueueScenarios() {}

    static Scenario queue() {
        return new Scenario(
                "queue",
                "A job queue: claim ten ready jobs, finish them",
                "Workers take the first ten ready jobs that nobody else holds, finish them in the same transaction and"
                        + " commit; every finished job brings a new one. SKIP_LOCKED is FOR UPDATE SKIP LOCKED by hand."
                        + " ROW, BOTH and ADVISORY are Rowlock's claim; with advisory locks it takes two round trips, and"
                        + " more while others hold the head of the queue. A claim finds nothing where others are so"
                        + " much faster that all jobs it saw are done before it gets to them. A job that ran twice"
                        + " fails the run.",
                "",
                QueueBenchmark.class,
                "workers",
                List.of(1, 4, 16, 64).stream().map(Point::threads).toList(),
                true,
                List.of("SKIP_LOCKED", "ROW", "BOTH", "ADVISORY"),
                "SKIP_LOCKED",
                List.of(
                        new Metric(Throughput.NAME, "jobs", "jobs/s", Better.HIGHER),
                        new Metric("emptyClaims", "claims that found nothing, of all", "", Better.LOWER),
                        new Metric("duplicates", "jobs run twice", "", Better.LOWER),
                        Metric.percentile("claim", "0.50", "claim p50"),
                        Metric.percentile("claim", "0.99", "claim p99"),
                        Metric.wal()),
                List.of(
                        new Chart(Chart.Kind.CURVE, Throughput.NAME, "Jobs over workers"),
                        new Chart(Chart.Kind.CURVE, "claim:p0.99", "Time to claim ten jobs, p99"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    static Scenario planTrap() {
        return new Scenario(
                "plan-trap",
                "A lock function in a WHERE clause locks rows that nobody gets",
                "Four clients take ten of the 200 rows of 2,000 that meet a condition, and commit. HAND_WRITTEN has the"
                        + " try-lock function in its WHERE clause. Beside another condition (filter) the planner may"
                        + " evaluate it first, and lock rows that do not meet the condition; under ORDER BY and LIMIT"
                        + " (order) it locks all rows that are sorted. One row locked for each row returned is right."
                        + " SKIP_LOCKED is FOR UPDATE SKIP LOCKED by hand; ROW, BOTH and ADVISORY are Rowlock's claim.",
                "",
                PlanTrapBenchmark.class,
                "lock function",
                List.of(
                        Point.of("beside a filter", 4, Map.of("trap", "filter")),
                        Point.of("under ORDER BY .. LIMIT", 4, Map.of("trap", "order"))),
                false,
                List.of("HAND_WRITTEN", "SKIP_LOCKED", "ROW", "BOTH", "ADVISORY"),
                "HAND_WRITTEN",
                List.of(
                        new Metric("lockedPerReturned", "rows locked per row returned", "", Better.LOWER),
                        new Metric("returned", "rows returned per transaction", "", Better.HIGHER),
                        Metric.throughput("throughput")),
                List.of(
                        new Chart(Chart.Kind.BARS, "lockedPerReturned", "Rows locked per row returned"),
                        new Chart(Chart.Kind.BARS, "returned", "Rows returned of the ten asked for")),
                new Scenario.Rhythm(3, 1_000, 1, 2_000, false),
                Map.of(),
                Set.of());
    }
}
