package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.HorizonBenchmark;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** The horizon is held in the middle of the run, by what was asked for. */
class HorizonRunTest {
    @ParameterizedTest
    @CsvSource({"snapshot, horizon.xminAge", "xid, horizon.xidAge"})
    void theHolderComesAndGoes(String holder, String age) throws RunnerException {
        Point point = Point.of("4", 4, Map.of("holder", holder, "from", "0.25", "until", "0.75"));
        RunResult result = JmhRuns.run(HorizonBenchmark.class, point, "ADVISORY", 4)
                .iterator()
                .next();
        List<BenchmarkResult> rounds = List.copyOf(result.getBenchmarkResults());
        Cell cell = new Cell(point, "ADVISORY", rounds);
        assertThat(cell.timeline(age)).hasSize(4).satisfies(ages -> {
            assertThat(ages.get(0)).isZero();
            assertThat(ages.get(1)).isPositive();
            assertThat(ages.get(2)).isGreaterThan(ages.get(1));
            assertThat(ages.get(3)).isZero();
        });
        for (String phase : List.of("horizon.before", "horizon.held", "horizon.after")) {
            assertThat(cell.mean(phase))
                    .as(phase)
                    .hasValueSatisfying(tps -> assertThat(tps).isPositive());
        }
    }
}
