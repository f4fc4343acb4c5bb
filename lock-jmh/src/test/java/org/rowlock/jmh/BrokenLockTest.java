package org.rowlock.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;
import org.rowlock.jmh.bench.ZipfianBenchmark;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.testing.JmhRuns;

/** A fast wrong lock is not a result. */
class BrokenLockTest {
    @Test
    void aLockThatLetsTwoInFailsTheRun() {
        RunnerException failure = catchThrowableOfType(
                RunnerException.class, () -> JmhRuns.run(ZipfianBenchmark.class, Point.threads(16), "NONE"));
        assertThat(failure).isNotNull();
        assertThat(JmhRuns.messages(failure)).anyMatch(message -> message.startsWith("Invariant violated: Two"));
    }
}
