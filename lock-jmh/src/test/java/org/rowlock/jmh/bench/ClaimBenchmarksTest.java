package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.scenario.Point;

/** Jobs that run twice are noticed, and so are rows that are locked and not returned. */
class ClaimBenchmarksTest {

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "HAND_WRITTEN"})
    void aJobThatRunsTwiceIsNoticed(String variant) {
        KeyBenchmarksTest.assertViolation(
                QueueBenchmark.class, Point.threads(16), variant, "jobs that ran more than once: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "order"})
    void rowsThatAreReturnedUnlockedAreNoticed(String trap) {
        KeyBenchmarksTest.assertViolation(
                PlanTrapBenchmark.class, Point.of(trap, 2, Map.of("trap", trap)), "NONE", "10 rows were returned");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "order"})
    void aLockFunctionInAWhereClauseLocksMoreThanItReturns(String trap) throws Exception {
        assertThat(lockedPerReturned(trap, "HAND_WRITTEN")).isGreaterThan(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROW", "BOTH", "ADVISORY"})
    void aClaimLocksWhatItReturns(String variant) throws Exception {
        assertThat(lockedPerReturned("order", variant)).isEqualTo(1);
    }

    private static double lockedPerReturned(String trap, String variant) throws Exception {
        Point point = Point.of(trap, 1, Map.of("trap", trap));
        return KeyBenchmarksTest.secondary(PlanTrapBenchmark.class, point, variant, "lockedPerReturned");
    }
}
