package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many wait at the server by what is known of the row, where places are left at the answer. */
class AdaptivePolicyTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(2);

    private final AdaptivePolicy policy = new AdaptivePolicy();

    private void seen(int times, long waitedNanos, int inFront) {
        for (int i = 0; i < times; i++) {
            policy.held(HOLD);
            policy.waited(waitedNanos, inFront + 1);
        }
    }

    @Test
    void fewAreLetThroughWithoutAQueueAndAQueueIsShort() {
        assertThat(policy.width(false, 0)).isEqualTo(12);
        assertThat(policy.width(false, 1)).isEqualTo(4);
    }

    @Test
    void thoseOfOtherJvmsMakeItNarrowAndNeverEmpty() {
        seen(20, 5 * HOLD, 1);
        assertThat(policy.width(false, 1)).isEqualTo(2);
        seen(1000, 90 * HOLD, 1);
        assertThat(policy.width(false, 1)).isEqualTo(1);
        assertThat(policy.width(false, 0)).isEqualTo(4);
        seen(1000, HOLD, 0);
        assertThat(policy.width(false, 0)).isEqualTo(12);
    }

    @Test
    void oneOutlierIsNoMoreThanAStep() {
        seen(20, HOLD, 0);
        seen(1, 1000 * HOLD, 0);
        assertThat(policy.width(false, 1)).isEqualTo(4);
        policy.held(1000 * HOLD);
        assertThat(policy.heldNanos()).isBetween(HOLD, 2 * HOLD);
    }

    @Test
    void aRowThatIsHeldForLessThanAWakeUpTakesHasALongerQueueOrNone() {
        policy.held(TimeUnit.MICROSECONDS.toNanos(250));
        assertThat(policy.width(false, 1)).isEqualTo(8);
        AdaptivePolicy shortest = new AdaptivePolicy();
        shortest.held(TimeUnit.MICROSECONDS.toNanos(50));
        assertThat(shortest.width(false, 1)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void thirteenOfARowAreOneTooMany() {
        KeyQueues queues = KeyQueues.adaptive();
        List<QueueEntry> inside = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            inside.add(queues.entry(4711, null));
            assertThat(inside.get(i).tryEnter()).isTrue();
        }
        QueueEntry next = queues.entry(4711, null);
        assertThat(next.tryEnter()).isFalse();
        assertThat(queues.entry(4712, null).tryEnter()).isTrue();
        inside.get(0).answered(true, true);
        assertThat(next.tryEnter()).isTrue();
    }

    @Test
    void aLockGoesInFrontWhereOtherJvmsWantTheRowToo() {
        policy.held(1_000_000);
        assertThat(policy.fronts(1)).isFalse();
        for (int i = 0; i < 100; i++) {
            policy.waited(7_000_000, 1);
        }
        assertThat(policy.foreign()).isBetween(5.5, 6.5);
        assertThat(policy.fronts(0)).isFalse();
        for (int i = 0; i < 100; i++) {
            policy.waited(12_000_000, 1);
        }
        assertThat(policy.fronts(0)).isTrue();
        for (int i = 0; i < 100; i++) {
            policy.waited(1_000_000, 1);
        }
        assertThat(policy.fronts(0)).isFalse();
    }
}
