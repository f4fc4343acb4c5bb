package org.rowlock.jmh.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ThroughputTest {
    private static final long ITERATION = TimeUnit.MILLISECONDS.toNanos(50);

    @Test
    void aWindowThatWaitsForTheFirstOperationDoesNotCountTheTimeBeforeIt() {
        Throughput.completed();
        Throughput.Window atOnce = Throughput.Window.of(ITERATION);
        Throughput.Window waiting = Throughput.Window.fromFirstOperation(ITERATION);
        Awaitility.await().until(() -> atOnce.perSecond().isPresent());
        assertThat(waiting.perSecond()).isEmpty();

        Throughput.completed();
        assertThat(Awaitility.await().until(waiting::perSecond, OptionalDouble::isPresent))
                .isPresent();
    }

    @Test
    void anIterationWithoutAnOperationIsZeroAndNotMissing() {
        Throughput.completed();
        Throughput.Window window = Throughput.Window.of(ITERATION);
        assertThat(Awaitility.await().until(window::perSecond, OptionalDouble::isPresent))
                .hasValue(0);
    }
}
