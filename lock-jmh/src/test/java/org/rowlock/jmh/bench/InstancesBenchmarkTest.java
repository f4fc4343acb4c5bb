package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** Instances have nothing in common but the database. */
class InstancesBenchmarkTest {
    @Test
    void twoInstancesInsideOneLockFailTheRun() {
        // A thread per instance, so whoever meets is of another one.
        Point point = Point.of("8", 8, Map.of("instances", "8", "poolSize", "16"));
        RunnerException failure =
                catchThrowableOfType(RunnerException.class, () -> JmhRuns.run(InstancesBenchmark.class, point, "NONE"));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure)).anyMatch(message -> message.startsWith("Invariant violated: Two"));
    }

    @Test
    void moreInstancesThanThreadsAreNoMoreThanThreads() throws RunnerException {
        Point point = Point.of("3", 3, Map.of("instances", "40"));
        assertThat(JmhRuns.run(InstancesBenchmark.class, point, "BOTH+admission"))
                .hasSize(1);
    }
}
