package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.Gate.Place;

/** How many an adaptive gate lets wait at the server, by what it knows of the row. */
class AdaptiveGateTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(2);

    private final GateWidth width = new GateWidth.Adaptive();
    private final RowEstimate estimate = new RowEstimate();

    private void seen(int times, long waitedNanos, int inFront) {
        for (int i = 0; i < times; i++) {
            estimate.held(HOLD);
            estimate.waited(waitedNanos, inFront);
        }
    }

    @Test
    void fewAreLetThroughWithoutAQueueAndAQueueIsShort() {
        assertThat(width.unqueued(estimate)).isEqualTo(12);
        assertThat(width.queued(estimate)).isEqualTo(4);
    }

    @Test
    void thoseOfOtherJvmsMakeItNarrowAndNeverEmpty() {
        seen(20, 5 * HOLD, 1);
        assertThat(width.queued(estimate)).isEqualTo(2);
        seen(1000, 90 * HOLD, 1);
        assertThat(width.queued(estimate)).isEqualTo(1);
        assertThat(width.unqueued(estimate)).isEqualTo(4);
        seen(1000, HOLD, 0);
        assertThat(width.unqueued(estimate)).isEqualTo(12);
    }

    @Test
    void oneOutlierIsNoMoreThanAStep() {
        seen(20, HOLD, 0);
        seen(1, 1000 * HOLD, 0);
        assertThat(width.queued(estimate)).isEqualTo(4);
        estimate.held(1000 * HOLD);
        assertThat(estimate.heldNanos()).isBetween(HOLD, 2 * HOLD);
    }

    @Test
    void aRowThatIsHeldForLessThanAWakeUpTakesHasALongerQueueOrNone() {
        estimate.held(TimeUnit.MICROSECONDS.toNanos(250));
        assertThat(width.queued(estimate)).isEqualTo(8);
        RowEstimate shortest = new RowEstimate();
        shortest.held(TimeUnit.MICROSECONDS.toNanos(50));
        assertThat(width.queued(shortest)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void thirteenOfARowAreOneTooMany() {
        Gate gate = Gate.adaptive();
        Place place = gate.placeOf(4711);
        for (int i = 0; i < 12; i++) {
            assertThat(gate.tryEnter(place)).isTrue();
        }
        assertThat(gate.tryEnter(place)).isFalse();
        assertThat(gate.tryEnter(gate.placeOf(4712))).isTrue();
        place.leave(true);
        assertThat(gate.tryEnter(place)).isTrue();
    }
}
