package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.BystanderBenchmark;
import org.rowlock.jmh.bench.PoolBenchmark;
import org.rowlock.jmh.bench.ShareBenchmark;
import org.rowlock.jmh.bench.ShareFairnessBenchmark;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** Without locks, each benchmark of shared locks and of crowds notices. */
class BrokenSharingTest {
    @Test
    void sharedLocksThatKeepNobodyOutFailTheRun() {
        assertThat(violation(ShareBenchmark.class, Point.of("few", 2, Map.of("rows", "10"))))
                .isEqualTo(
                        "Invariant violated: accounts[1] was locked FOR UPDATE while two transactions hold it FOR SHARE");
    }

    @Test
    void aWriterAmongSharersFailsTheRun() {
        Point point = new Point("4", 5, List.of(4, 1), Map.of("pauseMillis", "1"));
        assertThat(violation(ShareFairnessBenchmark.class, point))
                .startsWith("Invariant violated: Two transactions were inside the lock of key 0");
    }

    @Test
    void twoLockersOfOneRowFailTheRun() {
        Point point = new Point("10", 11, List.of(1, 10), Map.of("rate", "1000000", "zipf", "3"));
        assertThat(violation(BystanderBenchmark.class, point))
                .startsWith("Invariant violated: Two transactions were inside the lock of key");
    }

    @Test
    void twoOfTheHotThreadsInsideFailTheRun() {
        Point point = new Point("16", 17, List.of(16, 1), Map.of());
        assertThat(violation(PoolBenchmark.class, point))
                .startsWith("Invariant violated: Two transactions were inside the lock of key 0");
    }

    private static String violation(Class<?> benchmark, Point point) {
        RunnerException failure =
                catchThrowableOfType(RunnerException.class, () -> JmhRuns.run(benchmark, point, "NONE"));
        assertThat(failure).isNotNull();
        return JmhRuns.messages(failure).stream()
                .filter(message -> message.startsWith("Invariant violated"))
                .findFirst()
                .orElse("none among " + JmhRuns.messages(failure));
    }
}
