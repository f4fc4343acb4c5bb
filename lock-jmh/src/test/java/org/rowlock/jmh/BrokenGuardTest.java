package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.AutovacuumBenchmark;
import org.rowlock.jmh.bench.DistinctKeysBenchmark;
import org.rowlock.jmh.bench.HorizonBenchmark;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** A lock that lets two in is noticed by every scenario whose work is guarded by one. */
class BrokenGuardTest {
    static Stream<Arguments> guarded() {
        return Stream.of(
                Arguments.of(HorizonBenchmark.class, Point.threads(16)),
                Arguments.of(AutovacuumBenchmark.class, Point.threads(16)),
                // Among few rows, as two seldom meet among many.
                Arguments.of(DistinctKeysBenchmark.class, Point.of("16", 16, Map.of("rows", "2"))));
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void aLockThatLetsTwoInFailsTheRun(Class<?> benchmark, Point point) {
        RunnerException failure =
                catchThrowableOfType(RunnerException.class, () -> JmhRuns.run(benchmark, point, "NONE"));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure)).anyMatch(message -> message.startsWith("Invariant violated: Two"));
    }
}
