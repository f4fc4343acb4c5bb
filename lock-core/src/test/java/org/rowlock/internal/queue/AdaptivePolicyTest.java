package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.QueuePolicy.Question;

/** How many wait at the server by what is known of the row, where places are left at the answer. */
class AdaptivePolicyTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(2);

    private final AtomicLong nanos = new AtomicLong();
    private final AdaptivePolicy policy = new AdaptivePolicy(0, nanos::get, others());

    /** Knows that other JVMs contend. */
    private OtherClients others() {
        OtherClients others = new OtherClients(nanos::get);
        others.answered(OtherClients.OTHERS);
        others.answered(OtherClients.OTHERS);
        return others;
    }

    private void seen(int times, long waitedNanos, int inFront) {
        for (int i = 0; i < times; i++) {
            policy.held(HOLD, true);
            policy.waited(waitedNanos, inFront + 1, 0, -1);
        }
    }

    @Test
    void fewAreLetThroughWithoutAQueueAndAQueueIsShort() {
        assertThat(policy.width(false, 0)).isEqualTo(8);
        assertThat(policy.width(false, 1)).isEqualTo(4);
    }

    @Test
    void aWidthThatIsGivenIsTheWidthAlways() {
        AdaptivePolicy given = new AdaptivePolicy(3, nanos::get, new OtherClients(nanos::get));
        given.held(TimeUnit.MICROSECONDS.toNanos(50), true);
        assertThat(List.of(given.width(false, 0), given.width(false, 1), given.width(true, 1)))
                .containsOnly(3);
    }

    @Test
    void oneOutlierIsNoMoreThanAStep() {
        seen(20, HOLD, 0);
        seen(1, 1000 * HOLD, 0);
        assertThat(policy.width(false, 1)).isEqualTo(4);
        policy.held(1000 * HOLD, true);
        assertThat(policy.heldNanos).isBetween(HOLD, 2 * HOLD);
    }

    @Test
    void ofHoldsWhoseEndIsSeenLateTheShortOnesCount() {
        policy.held(1000 * HOLD, false);
        for (int i = 0; i < 200; i++) {
            policy.held(i % 3 == 0 ? HOLD : 1000 * HOLD, false);
        }
        assertThat(policy.heldNanos).isBetween(HOLD / 2, 4 * HOLD);
    }

    @Test
    void aRowThatIsHeldForLessThanAWakeUpTakesHasALongerQueueOrNone() {
        policy.held(TimeUnit.MICROSECONDS.toNanos(250), true);
        assertThat(policy.width(false, 1)).isEqualTo(8);
        AdaptivePolicy shortest = new AdaptivePolicy(0, nanos::get, new OtherClients(nanos::get));
        shortest.held(TimeUnit.MICROSECONDS.toNanos(50), true);
        assertThat(shortest.width(false, 1)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void nineOfARowAreOneTooMany() {
        KeyQueues queues = KeyQueues.adaptive(0);
        List<QueueEntry> inside = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            inside.add(queues.entry(4711, null));
            assertThat(inside.get(i).tryEnter()).isTrue();
        }
        QueueEntry next = queues.entry(4711, null);
        assertThat(next.tryEnter()).isFalse();
        assertThat(queues.entry(4712, null).tryEnter()).isTrue();
        inside.get(0).endServerWait(true, true);
        assertThat(next.tryEnter()).isTrue();
    }

    @Test
    void othersAreSeenByWaitsThatOursCannotAccountFor() {
        seen(100, 8 * HOLD, 1);
        assertThat(policy.foreign).isBetween(5.5, 6.5);
        assertThat(policy.isWantedElsewhere()).isTrue();
        seen(100, HOLD, 0);
        assertThat(policy.isWantedElsewhere()).isFalse();
    }

    /** Quartz fires a dozen triggers in one transaction, and completes each in a short one. */
    @Test
    void aLongHoldOfOurOwnIsNoCrowdOfOthers() {
        policy.held(HOLD, true);
        policy.waited(HOLD, 1, 0, 0);
        policy.waited(HOLD, 1, 0, 0);
        for (int i = 0; i < 100; i++) {
            policy.held(HOLD, true);
            policy.waited(30 * HOLD, 1, 30 * HOLD, -1);
            assertThat(policy.frontNanos(false)).isZero();
        }
        assertThat(policy.isWantedElsewhere()).isFalse();
        policy.waited(30 * HOLD, 1, 20 * HOLD, -1);
        policy.waited(30 * HOLD, 1, 20 * HOLD, -1);
        assertThat(policy.frontNanos(false)).isPositive();
    }

    /** While a fleet begins to front, those who do not yet are seen at the row. */
    @Test
    void waitsForTheRowCountOnlyBehindAQueueForTheKey() {
        seen(2, 30 * HOLD, 3);
        waitedBehind(1);
        assertThat(policy.asks(2, false)).isNull();
        waitedBehind(10 * HOLD);
        assertThat(policy.asks(2, false)).isEqualTo(Question.WITHOUT_ROWLOCK);
    }

    /** Beside a holder of seconds, the next wait that counts would come seconds later. */
    @Test
    void aVeryLongWaitForTheRowCountsAlways() {
        seen(2, 30 * HOLD, 3);
        for (int i = 0; i < 2; i++) {
            assertThat(policy.asks(2, false)).isNull();
            policy.waited(FrontPolicy.VERY_LONG_NANOS, 4, 0, 0);
        }
        assertThat(policy.asks(2, false)).isEqualTo(Question.WITHOUT_ROWLOCK);
    }

    private void waitedBehind(long keyNanos) {
        policy.waited(30 * HOLD, 4, 0, keyNanos);
        policy.waited(30 * HOLD, 4, 0, keyNanos);
    }

    @Test
    void aConnectionThatWasIdleForMinutesIsForgottenSoon() {
        policy.held(TimeUnit.MINUTES.toNanos(10), false);
        for (int i = 0; i < 40; i++) {
            policy.held(HOLD, false);
        }
        assertThat(policy.heldNanos).isBetween(HOLD / 2, 2 * HOLD);
    }

    @Test
    void besideClientsWithoutAQueueAllMayWaitAtTheServer() {
        seen(2, 30 * HOLD, 3);
        assertThat(policy.width(false, 1)).isEqualTo(4);
        assertThat(policy.width(true, 1)).isEqualTo(2);
        policy.answered(Question.WITHOUT_ROWLOCK, 30);
        assertThat(policy.width(false, 1)).isEqualTo(Integer.MAX_VALUE);
        // Those who wait for a connection leave some of the pool to others.
        assertThat(policy.width(true, 1)).isEqualTo(8);
    }

    /** Callers of other keys need connections, too, and the first count may have to wait for a lock. */
    @Test
    void untilTheClientsAreCountedAnAdmissionQueueStaysNarrow() {
        assertThat(policy.asks(8, false)).isNull();
        assertThat(policy.width(false, 1)).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.width(true, 1)).isEqualTo(2);
        policy.answered(Question.WITHOUT_ROWLOCK, 5);
        assertThat(policy.width(true, 1)).isEqualTo(8);
    }
}
