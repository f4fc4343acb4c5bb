package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.util.Statistics;
import org.rowlock.jmh.bench.BystanderBenchmark;
import org.rowlock.jmh.bench.PoolBenchmark;
import org.rowlock.jmh.bench.ShareBenchmark;
import org.rowlock.jmh.bench.ShareFairnessBenchmark;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** Benchmarks whose threads have different roles. */
@Timeout(120)
class GroupBenchmarksTest {
    @Test
    void aWriterThatRowLocksStarveGetsInWhenTheIterationEnds() throws RunnerException {
        Point point = new Point("8", 9, List.of(8, 1), Map.of());
        Map<String, Statistics> results = results(ShareFairnessBenchmark.class, point, "ROW");
        assertThat(results).containsKeys("writer", "share", "write");
    }

    @Test
    void aCrowdCanBeEmpty() throws RunnerException {
        Map<String, Statistics> idle =
                results(PoolBenchmark.class, new Point("none", 4, List.of(0, 4), Map.of()), "ADVISORY");
        assertThat(idle).containsKeys("other", "others").doesNotContainKeys("hot", "lock");
        Map<String, Statistics> alone =
                results(BystanderBenchmark.class, new Point("none", 4, List.of(4, 0), Map.of()), "ADVISORY");
        assertThat(alone).containsKeys("bystander", "bystanders").doesNotContainKeys("lockers", "lock");
    }

    @Test
    void locksThatWereDueAndNeverAskedForAreAmongTheLatencies() throws RunnerException {
        Point point = new Point("1", 2, List.of(1, 1), Map.of("rate", "100000"));
        Map<String, Statistics> results = results(BystanderBenchmark.class, point, "ADVISORY");
        // Of the 20,000 that are due in 200 ms, one locker comes to a few hundred.
        assertThat(results.get("lock").getN()).isGreaterThan(10_000);
    }

    @Test
    void aVariantThatABenchmarkHasNoFormOfIsRefused() {
        RunnerException failure = catchThrowableOfType(
                RunnerException.class, () -> JmhRuns.run(ShareBenchmark.class, Point.threads(1), "ADVISORY+pipelined"));
        assertThat(JmhRuns.messages(failure))
                .anyMatch(message -> message.startsWith("The variant ADVISORY+pipelined was asked for"));
    }

    private static Map<String, Statistics> results(Class<?> benchmark, Point point, String variant)
            throws RunnerException {
        Collection<RunResult> runs = JmhRuns.run(benchmark, point, variant);
        assertThat(runs).hasSize(1);
        Map<String, Statistics> results = new TreeMap<>();
        runs.iterator()
                .next()
                .getAggregatedResult()
                .getSecondaryResults()
                .forEach((label, result) -> results.put(label, result.getStatistics()));
        return results;
    }
}
