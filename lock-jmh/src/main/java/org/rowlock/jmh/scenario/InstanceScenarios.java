package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.rowlock.jmh.bench.InstancesBenchmark;
import org.rowlock.jmh.profile.Throughput;

/** The same crowd of threads in one application instance, or spread over many. */
final class InstanceScenarios {
    private static final int THREADS = 320;
    private static final int POOL = 16;

    private InstanceScenarios() {}

    static Scenario instances() {
        return new Scenario(
                "instances",
                "The same crowd in 1 to 40 application instances: which lever pays?",
                THREADS
                        + " threads do the work of zipfian, spread over so many application instances, each with admission"
                        + " queues of its own. Admission keeps the threads of one instance from meeting at the server,"
                        + " and does nothing between instances: the more of them, the more is left for the strategy."
                        + " First each thread has a connection of its own; then each instance has a pool of " + POOL
                        + ", which is an admission too, of all keys alike. With 20 instances and more that is the same,"
                        + " as no instance has more than " + POOL + " threads.",
                "",
                InstancesBenchmark.class,
                "instances",
                Stream.concat(
                                Stream.of(1, 4, 10, 20, 40).map(count -> point(Integer.toString(count), count, 0)),
                                Stream.of(1, 4, 10).map(count -> point(count + " with a pool of " + POOL, count, POOL)))
                        .toList(),
                false,
                List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"),
                "ROW",
                List.of(
                        Metric.throughput("throughput"),
                        Metric.percentile("lock", "0.50", "lock p50"),
                        Metric.percentile("lock", "0.99", "lock p99"),
                        Metric.wal()),
                List.of(
                        new Chart(Chart.Kind.BARS, Throughput.NAME, "Throughput over instances"),
                        new Chart(Chart.Kind.BARS, "lock:p0.99", "Time to get the lock, p99"),
                        new Chart(Chart.Kind.WAITS, "", "What the sessions waited for")),
                Scenario.Rhythm.throughput(),
                Map.of(),
                Set.of());
    }

    private static Point point(String label, int instances, int poolSize) {
        return Point.of(
                label,
                THREADS,
                Map.of("instances", Integer.toString(instances), "poolSize", Integer.toString(poolSize)));
    }
}
