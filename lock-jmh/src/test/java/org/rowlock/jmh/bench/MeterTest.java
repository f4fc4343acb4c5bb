package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.profile.Published;

/** Checks that operations that are still waiting count in the percentiles. */
class MeterTest {
    private final Meter meter = new Meter();

    private double taken(String name) {
        Published results = new Published(1, 1);
        meter.take(results);
        return results.all().get(name).getScore();
    }

    @Test
    void operationsThatAllWaitThroughTheEndAreNotFast() {
        Latency readers = meter.latency("readers");
        readers.begin();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(2)) {
            Thread.onSpinWait();
        }
        assertThat(taken("readers.p50")).isGreaterThanOrEqualTo(2);
        assertThat(taken("readers.p99")).isGreaterThanOrEqualTo(2);
    }

    /** An operation that has just begun says nothing about how long operations take. */
    @Test
    void anOperationThatHasJustBegunLowersNothing() {
        meter.latency("readers").record(TimeUnit.DAYS.toNanos(1));
        meter.latency("readers").begin();
        assertThat(taken("readers.p50")).isGreaterThanOrEqualTo(TimeUnit.DAYS.toMillis(1));
    }

    @Test
    void anOperationThatHasEndedCountsOnce() {
        Latency readers = meter.latency("readers");
        readers.begin();
        readers.end();
        assertThat(taken("readers.max")).isPositive();
        Published later = new Published(1, 1);
        meter.take(later);
        assertThat(later.all()).doesNotContainKey("readers.max");
    }
}
