package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When the key goes in front, and when it does not any more, from crowds and times that the test makes. */
class FrontPolicyTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** The beginning of a period. */
    private static final long START = 60_000_000;

    private final AtomicLong millis = new AtomicLong(START);
    private final FrontPolicy policy = new FrontPolicy(millis::get);

    private boolean fronts() {
        return policy.mostNanos(false) > 0;
    }

    private void plain(int times, double crowd, int own) {
        for (int i = 0; i < times; i++) {
            policy.locked(false, crowd, own, (long) (crowd * HOLD), Double.NaN, 0);
        }
    }

    private void inFront(int times, double crowd, int own) {
        for (int i = 0; i < times; i++) {
            policy.locked(true, crowd, own, (long) (crowd * HOLD), Double.NaN, 0);
        }
    }

    /** One that waited so many holds for the row behind the key; the next begins when it is done. */
    private void behind(double holds) {
        millis.addAndGet((long) (holds * HOLD / 1_000_000) + 1);
        policy.locked(true, 20, 1, 20 * HOLD, holds, (long) (holds * HOLD));
    }

    private void enter() {
        plain(2, 20, 1);
        assertThat(fronts()).isTrue();
    }

    @Test
    void twoLargeCrowdsInARowLeadToTheFront() {
        assertThat(fronts()).isFalse();
        plain(1, 8, 4);
        assertThat(fronts()).isFalse();
        plain(1, 7.9, 1);
        plain(1, 8, 1);
        assertThat(fronts()).isFalse();
        plain(1, 8, 4);
        assertThat(fronts()).isTrue();
    }

    @Test
    void aJvmAloneSeesItsOwnCrowdAndNeverFronts() {
        plain(1_000, 15.9, 8);
        for (int i = 0; i < 7; i++) {
            assertThat(fronts()).isFalse();
        }
    }

    /** On a busy machine a thread waits for its processor, and a short hold makes a crowd of that. */
    @Test
    void aWaitOfLessThanTwoMillisecondsIsNoCrowd() {
        for (int i = 0; i < 100; i++) {
            policy.locked(false, 40, 1, 1_999_999, Double.NaN, 0);
        }
        assertThat(fronts()).isFalse();
        policy.locked(false, 40, 1, 2_000_000, Double.NaN, 0);
        policy.locked(false, 40, 1, 2_000_000, Double.NaN, 0);
        assertThat(fronts()).isTrue();
    }

    @Test
    void eightSmallCrowdsInARowLeadBack() {
        enter();
        inFront(7, 2.9, 1);
        inFront(1, 3, 1);
        inFront(7, 2.9, 1);
        assertThat(fronts()).isTrue();
        inFront(1, 2.9, 1);
        assertThat(fronts()).isFalse();
        enter();
        inFront(8, 4.7, 4);
        assertThat(fronts()).isFalse();
    }

    /** Where other JVMs have the key in front, a plain lock overtakes their queue. */
    @Test
    void aProbeSeesTheQueueOfOthers() {
        plain(1, 2, 1);
        for (int i = 1; i < 8; i++) {
            assertThat(fronts()).isFalse();
        }
        assertThat(fronts()).isTrue();
        inFront(1, 3, 1);
        assertThat(fronts()).isFalse();
        inFront(1, 8, 1);
        assertThat(fronts()).isTrue();
    }

    @Test
    void nobodyProbesWhereNobodyWaitsButOurs() {
        plain(1, 1.9, 1);
        for (int i = 0; i < 100; i++) {
            assertThat(fronts()).isFalse();
        }
        plain(1, 4, 4);
        for (int i = 0; i < 100; i++) {
            assertThat(fronts()).isFalse();
        }
    }

    /** A wait that ends sooner in a long but honest queue would overtake it, and the fleet would open. */
    @Test
    void theWaitForTheKeyIsBoundedByAMinute() {
        enter();
        assertThat(policy.mostNanos(false)).isEqualTo(60 * SECOND);
        assertThat(policy.mostNanos(true)).isEqualTo(60 * SECOND);
    }

    @Test
    void oneOfEightIsTimedUntilOneWasBad() {
        enter();
        assertThat(policy.isTimed()).isTrue();
        for (int i = 1; i < 8; i++) {
            assertThat(policy.isTimed()).isFalse();
        }
        assertThat(policy.isTimed()).isTrue();
        behind(4);
        behind(3.9);
        assertThat(policy.isTimed()).isTrue();
        behind(3.9);
        assertThat(policy.isTimed()).isFalse();
    }

    /** Transactions without Rowlock are there: until the next quarter of a minute. */
    @Test
    void longWaitsBehindTheKeyOpenItForATimeThatAllJvmsShare() {
        enter();
        behind(10);
        millis.addAndGet(8_000);
        for (int i = 0; i < 4; i++) {
            behind(10);
        }
        assertThat(fronts()).isTrue();
        behind(10);
        assertThat(policy.isOpen()).isTrue();
        assertThat(fronts()).isFalse();
        assertThat(policy.mostNanos(true)).isZero();
        millis.set(START + 14_999);
        assertThat(fronts()).isFalse();
        millis.set(START + 15_000);
        assertThat(fronts()).isTrue();
    }

    /** JVMs of a fleet that starts do not begin to front at once; the last ones overtake the first for seconds. */
    @Test
    void whatLastsForSecondsOnlyDoesNotOpen() {
        enter();
        for (int i = 0; i < 100; i++) {
            behind(10);
        }
        assertThat(millis.get()).isLessThan(START + 8_000);
        for (int i = 0; i < 100; i++) {
            behind(0);
        }
        assertThat(policy.isOpen()).isFalse();
    }

    /** Who asks in the moment in which the row is free overtakes those who wait for it. */
    @Test
    void someShortOnesBetweenThemDoNotHideTheOthers() {
        enter();
        for (int i = 0; i < 200 && !policy.isOpen(); i++) {
            behind(10);
            behind(0);
        }
        assertThat(policy.isOpen()).isTrue();
    }

    @Test
    void manyShortOnesBetweenThemAndStallsAreNotEnough() {
        enter();
        for (int i = 0; i < 400; i++) {
            behind(10);
            behind(0);
            behind(0);
        }
        assertThat(policy.isOpen()).isFalse();
        millis.addAndGet(10_000);
        for (int i = 0; i < 100; i++) {
            // All that waited through one stall.
            policy.locked(true, 20, 1, SECOND, 200, SECOND);
        }
        assertThat(policy.isOpen()).isFalse();
    }

    private void open() {
        assertThat(fronts()).isTrue();
        policy.givenUp(SECOND);
        assertThat(fronts()).isFalse();
    }

    private void awaitFront(long period) {
        millis.set((millis.get() / period + 1) * period - 1);
        assertThat(fronts()).isFalse();
        millis.addAndGet(1);
        assertThat(fronts()).isTrue();
        millis.addAndGet(1_000);
    }

    @Test
    void aKeyThatCannotBeHadOpensForLongerAndLonger() {
        enter();
        open();
        awaitFront(15_000);
        open();
        awaitFront(30_000);
        open();
        awaitFront(60_000);
        open();
        awaitFront(60_000);
        millis.addAndGet(20_000);
        open();
        awaitFront(15_000);
    }

    @Test
    void whereOthersHadTheKeyMeanwhileTheQueueIsOnlyLong() {
        enter();
        inFront(1, 20, 1);
        millis.addAndGet(500);
        policy.givenUp(SECOND);
        assertThat(fronts()).isTrue();
        millis.addAndGet(501);
        open();
    }

    @Test
    void noCrowdEndsTheOpening() {
        enter();
        open();
        plain(8, 1.9, 1);
        assertThat(policy.isOpen()).isFalse();
        assertThat(fronts()).isFalse();
        assertThat(policy.mostNanos(true)).isEqualTo(60 * SECOND);
    }
}
