package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When the key goes in front, when a mark does, and when the server is asked, from crowds that the test makes. */
class FrontPolicyTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong nanos = new AtomicLong(-2 * SECOND);
    private final FrontPolicy policy = new FrontPolicy(nanos::get);

    private boolean fronts() {
        return policy.mostNanos(false) > 0;
    }

    private void plain(int times, double crowd, int own) {
        for (int i = 0; i < times; i++) {
            policy.locked(false, crowd, own, (long) (crowd * HOLD), Double.NaN);
        }
    }

    private void inFront(int times, double crowd, int own) {
        for (int i = 0; i < times; i++) {
            policy.locked(true, crowd, own, (long) (crowd * HOLD), Double.NaN);
        }
    }

    /** One that waited so many holds for the row behind the key. */
    private void behind(double holds) {
        policy.locked(true, 20, 1, 20 * HOLD, holds);
    }

    private void many(int waiting, int own) {
        assertThat(policy.asks(true)).isTrue();
        policy.answered(waiting, own);
        assertThat(policy.isOpen()).isTrue();
    }

    /** Twice, as many wait for nothing in the moment in which the row goes from one to the next. */
    private void few(int waiting, int own) {
        assertThat(policy.asks(true)).isTrue();
        policy.answered(waiting, own);
        assertThat(policy.asks(true)).isFalse();
        nanos.addAndGet(SECOND / 20);
        assertThat(policy.asks(true)).isTrue();
        policy.answered(waiting, own);
        assertThat(policy.isOpen()).isFalse();
        assertThat(fronts()).isTrue();
    }

    private void threeBehind() {
        behind(4);
        behind(4);
        assertThat(policy.asks(true)).isFalse();
        behind(4);
    }

    private void enter() {
        nanos.addAndGet(SECOND);
        plain(2, 20, 1);
        few(0, 0);
        assertThat(fronts()).isTrue();
    }

    @Test
    void twoLargeCrowdsInARowLeadToAQuestionAndItsAnswerToTheFront() {
        assertThat(policy.asks(true)).isFalse();
        plain(1, 8, 4);
        assertThat(policy.asks(true)).isFalse();
        plain(1, 7.9, 1);
        plain(1, 8, 1);
        assertThat(policy.asks(true)).isFalse();
        plain(1, 8, 4);
        assertThat(fronts()).isFalse();
        few(0, 0);
        assertThat(fronts()).isTrue();
        assertThat(policy.isOpen()).isFalse();
    }

    /** A front lock delays nobody else of this JVM, so the round trip of a question would gain nothing. */
    @Test
    void aTransactionThatIsAloneInItsJvmFrontsWithoutAQuestion() {
        plain(2, 8, 1);
        assertThat(policy.asks(false)).isFalse();
        assertThat(fronts()).isTrue();
        assertThat(policy.isOpen()).isFalse();
        threeBehind();
        assertThat(policy.asks(false)).isFalse();
        many(9, 0);
        nanos.addAndGet(SECOND);
        assertThat(policy.asks(false)).isTrue();
    }

    @Test
    void whileFrontLocksPauseATransactionThatIsAloneHasNone() {
        enter();
        policy.givenUp(SECOND);
        plain(2, 8, 1);
        assertThat(policy.asks(false)).isFalse();
        assertThat(fronts()).isFalse();
    }

    @Test
    void aJvmAloneSeesItsOwnCrowdAndNeverFronts() {
        plain(1_000, 15.9, 8);
        assertThat(policy.asks(true)).isFalse();
        for (int i = 0; i < 7; i++) {
            assertThat(fronts()).isFalse();
        }
    }

    /** On a busy machine a thread waits for its processor, and a short hold makes a crowd of that. */
    @Test
    void aWaitOfLessThanTwoMillisecondsIsNoCrowd() {
        for (int i = 0; i < 100; i++) {
            policy.locked(false, 40, 1, 1_999_999, Double.NaN);
        }
        assertThat(policy.asks(true)).isFalse();
        policy.locked(false, 40, 1, 2_000_000, Double.NaN);
        policy.locked(false, 40, 1, 2_000_000, Double.NaN);
        assertThat(policy.asks(true)).isTrue();
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
        assertThat(policy.asks(true)).isFalse();
        inFront(1, 8, 1);
        few(0, 0);
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
        assertThat(policy.mostNanos(false)).isEqualTo(MINUTE);
        assertThat(policy.mostNanos(true)).isEqualTo(MINUTE);
    }

    /** A JVM sends up to eight to the server before it knows of others. */
    @Test
    void nineClientsWithoutUsOpenTheRowAtOnce() {
        plain(2, 20, 1);
        few(8, 0);
        nanos.addAndGet(SECOND);
        inFront(8, 1, 1);
        plain(2, 20, 1);
        many(9, 0);
        assertThat(fronts()).isTrue();
    }

    @Test
    void ourOwnAreNotCountedAsLongAsTheyHaveNoMark() {
        plain(2, 20, 1);
        few(12, 4);
        nanos.addAndGet(SECOND);
        threeBehind();
        many(8, 4);
        nanos.addAndGet(SECOND);
        many(39, 30);
        nanos.addAndGet(SECOND);
        few(38, 30);
    }

    /** The question goes with a mark, and the transactions of an application may all begin to read first. */
    @Test
    void anOpenRowIsClosedIfNoLockAsksForTenSeconds() {
        plain(2, 20, 1);
        many(20, 0);
        nanos.addAndGet(SECOND + FrontPolicy.OVERDUE_NANOS - 1);
        assertThat(policy.isOpen()).isTrue();
        nanos.addAndGet(1);
        assertThat(fronts()).isFalse();
        assertThat(policy.isOpen()).isFalse();
        assertThat(policy.asks(true)).isFalse();
        plain(2, 20, 1);
        many(9, 0);
    }

    /** A lock may wait long by chance, and rows beside it may have some waiters. */
    @Test
    void threeLongWaitsInARowAreAskedFor() {
        enter();
        nanos.addAndGet(SECOND);
        behind(4);
        behind(4);
        behind(3.9);
        behind(4);
        inFront(1, 20, 1);
        behind(4);
        assertThat(policy.asks(true)).isFalse();
        behind(4);
        few(3, 0);
        nanos.addAndGet(SECOND);
        threeBehind();
        many(4, 0);
    }

    @Test
    void theServerIsAskedOnceASecondAtMost() {
        enter();
        nanos.addAndGet(SECOND);
        threeBehind();
        few(0, 0);
        threeBehind();
        nanos.addAndGet(SECOND - 1);
        assertThat(policy.asks(true)).isFalse();
        nanos.addAndGet(1);
        assertThat(policy.asks(true)).isTrue();
        assertThat(policy.asks(true)).isFalse();
    }

    @Test
    void anOpenRowIsClosedWhenTheOthersAreGone() {
        plain(2, 20, 1);
        many(20, 0);
        for (int i = 0; i < 5; i++) {
            plain(100, 1, 1);
            nanos.addAndGet(SECOND - 1);
            assertThat(policy.asks(true)).isFalse();
            nanos.addAndGet(1);
            many(9, 0);
        }
        nanos.addAndGet(SECOND);
        few(8, 0);
        inFront(8, 1, 1);
        assertThat(fronts()).isFalse();
    }

    /** So few are counted only beside long waits, of which there are none while the row is open. */
    @Test
    void besideFourClientsWithoutUsTheRowIsOpenMostOfTheTime() {
        plain(2, 20, 1);
        many(9, 0);
        for (int i = 0; i < 5; i++) {
            nanos.addAndGet(SECOND);
            few(4, 0);
            threeBehind();
            nanos.addAndGet(SECOND / 20);
            many(4, 0);
        }
    }

    /** A key that cannot be had may be another's for hours, or the right to the function is missing. */
    @Test
    void aKeyThatCannotBeHadIsLeftAloneForAMinute() {
        enter();
        policy.givenUp(SECOND);
        for (int i = 0; i < 60; i++) {
            assertThat(policy.mostNanos(true)).isZero();
            plain(2, 20, 1);
            assertThat(policy.asks(true)).isFalse();
            nanos.addAndGet(SECOND);
        }
        assertThat(policy.mostNanos(true)).isPositive();
        few(0, 0);
        assertThat(fronts()).isTrue();
    }

    @Test
    void aMarkThatCannotBeHadIsLeftAloneToo() {
        plain(2, 20, 1);
        many(20, 0);
        policy.givenUp(0);
        assertThat(policy.isOpen()).isFalse();
        assertThat(policy.mostNanos(true)).isZero();
        nanos.addAndGet(MINUTE);
        assertThat(policy.mostNanos(true)).isPositive();
    }

    @Test
    void whereOthersHadTheKeyMeanwhileTheQueueIsOnlyLong() {
        enter();
        inFront(1, 20, 1);
        nanos.addAndGet(SECOND / 2);
        policy.givenUp(SECOND);
        assertThat(fronts()).isTrue();
        nanos.addAndGet(SECOND / 2 + 1);
        policy.givenUp(SECOND);
        assertThat(fronts()).isFalse();
    }
}
