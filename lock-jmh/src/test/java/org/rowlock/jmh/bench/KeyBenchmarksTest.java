package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** Benchmarks of one session notice a lock that is none, and count what they say they count. */
class KeyBenchmarksTest {
    private static final Point ONE = Point.threads(1);

    @ParameterizedTest
    @CsvSource({"FOR_UPDATE, 2", "NAIVE, 3", "HAND_WRITTEN, 2", "ROW, 2", "BOTH, 2", "ADVISORY, 2", "SELECT, 2"})
    void roundTripsAreCounted(String variant, double expected) throws Exception {
        assertThat(secondary(ReadAfterLockBenchmark.class, ONE, variant, "roundTrips"))
                .isEqualTo(expected);
    }

    @Test
    void aReadWithoutALockIsNoticed() {
        assertViolation(
                ReadAfterLockBenchmark.class, ONE, "NONE", "a second transaction got in while the first held the lock");
    }

    @Test
    void aReadOlderThanItsLockIsNoticed() {
        assertViolation(ReadAfterLockBenchmark.class, ONE, "ONE_STATEMENT", "behind the lock the balance was 0");
    }

    @Test
    void aKeyThatLocksNothingIsNoticed() {
        assertViolation(
                KeyFormBenchmark.class, ONE, "NONE", "a second transaction got in while the first held the lock");
    }

    @Test
    void aKeyThatLocksEverythingIsNoticed() {
        assertViolation(KeyFormBenchmark.class, ONE, "SAME", "a transaction waited for the lock of another key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"int", "composite"})
    void keysAreMadeWithoutAServer(String id) throws Exception {
        Point point = Point.of(id, 1, Map.of("id", id));

        assertThat(JmhRuns.run(KeyCostBenchmark.class, point, "BOTH")).hasSize(1);
    }

    @Test
    void manyKeysThatLockNothingAreNoticed() {
        Point overlapping = Point.of("overlapping", 8, Map.of("keys", "10", "overlapping", "true"));

        assertViolation(ManyKeysBenchmark.class, overlapping, "NONE", "Two transactions were inside the lock");
    }

    @Test
    void aLockTableEntryIsCountedForEachAdvisoryLock() throws Exception {
        Point point = Point.of("100", 1, Map.of("keys", "100"));

        double advisory = secondary(ManyKeysBenchmark.class, point, "ADVISORY", "lockTable");
        double row = secondary(ManyKeysBenchmark.class, point, "ROW", "lockTable");

        assertThat(advisory).isBetween(100.0, 110.0);
        assertThat(row).isLessThan(10);
    }

    @Test
    void aLockTableTooSmallIsRefusedBeforeItIsFilled() {
        Point point = Point.of("too many", 4, Map.of("keys", "1000000"));

        RunnerException failure = catchThrowableOfType(
                RunnerException.class, () -> JmhRuns.run(ManyKeysBenchmark.class, point, "ADVISORY"));

        assertThat(JmhRuns.messages(failure))
                .anyMatch(message -> message.contains("4 clients with 1000000 advisory locks each are 4000000"));
    }

    static double secondary(Class<?> benchmark, Point point, String variant, String label) throws RunnerException {
        RunResult result = JmhRuns.run(benchmark, point, variant).iterator().next();
        assertThat(result.getSecondaryResults()).containsKey(label);
        return result.getSecondaryResults().get(label).getScore();
    }

    static void assertViolation(Class<?> benchmark, Point point, String variant, String expected) {
        RunnerException failure =
                catchThrowableOfType(RunnerException.class, () -> JmhRuns.run(benchmark, point, variant));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure)).anyMatch(message -> message.contains("Invariant violated: " + expected));
    }
}
