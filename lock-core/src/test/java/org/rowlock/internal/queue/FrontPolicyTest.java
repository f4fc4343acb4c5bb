package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.QueuePolicy.Question;

/** When the key goes in front, when the row is open, and when the server is asked, from crowds that the test makes. */
class FrontPolicyTest {
    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong nanos = new AtomicLong(-2 * SECOND);
    private final OtherClients clients = new OtherClients(nanos::get);
    private final OpenPolicy open = new OpenPolicy(nanos::get, clients);
    private final FrontPolicy policy = new FrontPolicy(nanos::get, open, clients);

    @BeforeEach
    void twoSmallCrowds() {
        others();
        assertThat(fronts()).as("a key without a crowd").isTrue();
        inFront(2, 1, 1);
        assertThat(fronts()).isFalse();
    }

    private void others() {
        clients.answered(OtherClients.OTHERS);
        clients.answered(OtherClients.OTHERS);
    }

    private static boolean asks(FrontPolicy policy, int wanting, double foreign) {
        return policy.asks(wanting, false, foreign) == Question.WITHOUT_ROWLOCK;
    }

    private static boolean asksForOthers(FrontPolicy policy, int wanting) {
        return policy.asks(wanting, false, 0) == Question.OTHER_JVMS;
    }

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

    private void many(int waiting) {
        many(2, waiting);
    }

    private void many(int wanting, int waiting) {
        many(wanting, waiting, 0);
    }

    private void many(int wanting, int waiting, double foreign) {
        assertThat(asks(policy, wanting, foreign)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, waiting);
        assertThat(open.isOpen()).isTrue();
    }

    /** Twice, as many wait for nothing in the moment in which the row goes from one to the next. */
    private void few(int waiting) {
        few(2, waiting);
    }

    private void few(int wanting, int waiting) {
        few(wanting, waiting, 0);
    }

    private void few(int wanting, int waiting, double foreign) {
        assertThat(asks(policy, wanting, foreign)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, waiting);
        assertThat(asks(policy, wanting, foreign)).isFalse();
        nanos.addAndGet(SECOND / 20);
        assertThat(asks(policy, wanting, foreign)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, waiting);
        assertThat(open.isOpen()).isFalse();
    }

    private void enter() {
        plain(2, 20, 1);
        assertThat(fronts()).isTrue();
    }

    private void twoBehind() {
        behind(4);
        assertThat(asks(policy, 2, 0)).isFalse();
        behind(4);
    }

    private void open() {
        enter();
        twoBehind();
        many(20);
    }

    @Test
    void twoLargeCrowdsInARowLeadToTheFront() {
        nanos.addAndGet(MINUTE);
        plain(1, 8, 4);
        plain(1, 7.9, 1);
        plain(1, 8, 1);
        others();
        assertThat(fronts()).isFalse();
        nanos.addAndGet(MINUTE);
        plain(1, 8, 4);
        others();
        assertThat(fronts()).isTrue();
        assertThat(asks(policy, 2, 0)).isFalse();
    }

    /** A JVM with few clients locks a row only a few times per second. */
    @Test
    void besideOtherJvmsOneLargeCrowdLeadsToTheFront() {
        plain(1, 7.9, 1);
        assertThat(fronts()).isFalse();
        plain(1, 8, 4);
        assertThat(fronts()).isTrue();
    }

    /** All keys of a JVM would otherwise need a crowd of their own, and a fleet would start slowly. */
    @Test
    void aNewKeyFrontsAsSoonAsOthersAreShown() {
        FrontPolicy cold = new FrontPolicy(nanos::get, open, clients);
        nanos.addAndGet(MINUTE);
        assertThat(cold.mostNanos(false)).isZero();
        others();
        assertThat(cold.mostNanos(false)).isPositive();
        cold.locked(true, 1, 1, HOLD, Double.NaN);
        cold.locked(true, 0, 1, HOLD, Double.NaN);
        cold.locked(true, 1, 1, HOLD, Double.NaN);
        assertThat(cold.mostNanos(false)).as("the time of a hold was unknown").isPositive();
        cold.locked(true, 1, 1, HOLD, Double.NaN);
        assertThat(cold.mostNanos(false)).isZero();
    }

    /** The first wait of a JVM may be among the crowd of a fleet, and the time of a hold is not known yet. */
    @Test
    void theFirstLongWaitIsAskedFor() {
        nanos.addAndGet(MINUTE);
        FrontPolicy cold = new FrontPolicy(nanos::get, open, clients);
        assertThat(cold.mostNanos(false)).isZero();
        cold.locked(false, 0, 1, 1_999_999, Double.NaN);
        assertThat(cold.asks(2, false, 0)).isNull();
        cold.locked(false, 0, 1, 2_000_000, Double.NaN);
        assertThat(asksForOthers(cold, 1)).isFalse();
        assertThat(asksForOthers(cold, 2)).isTrue();
        cold.answered(Question.OTHER_JVMS, OtherClients.MANY);
        assertThat(cold.mostNanos(false)).isPositive();
    }

    /** A front lock delays nobody else of this JVM, so the round trip of a question would gain nothing. */
    @Test
    void aTransactionThatIsAloneInItsJvmDoesNotAsk() {
        enter();
        twoBehind();
        assertThat(asks(policy, 1, 0)).isFalse();
        many(9);
        nanos.addAndGet(SECOND);
        assertThat(asks(policy, 1, 0)).isTrue();
    }

    /** Each question visits all locks of the server, so a hundred hot rows ask no more often than a few. */
    @Test
    void thePoliciesOfAJvmAskInTurn() {
        FrontPolicy other = new FrontPolicy(nanos::get, new OpenPolicy(nanos::get, clients), clients);
        for (FrontPolicy each : List.of(policy, other)) {
            for (int i = 0; i < 4; i++) {
                each.locked(i >= 2, 20, 1, 20 * HOLD, i >= 2 ? 4 : Double.NaN);
            }
        }
        assertThat(asks(policy, 2, 0)).isTrue();
        assertThat(asks(other, 2, 0)).isFalse();
        nanos.addAndGet(OtherClients.BETWEEN_NANOS - 1);
        assertThat(asks(other, 2, 0)).isFalse();
        nanos.incrementAndGet();
        assertThat(asks(other, 2, 0)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, 9);
        other.answered(Question.WITHOUT_ROWLOCK, 9);
        nanos.addAndGet(SECOND);
        assertThat(asks(other, 2, 0)).isTrue();
        assertThat(asks(policy, 2, 0)).isFalse();
        assertThat(open.isOpen()).isTrue();
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
            policy.locked(false, 40, 1, 1_999_999, Double.NaN);
        }
        assertThat(fronts()).isFalse();
        policy.locked(false, 40, 1, 2_000_000, Double.NaN);
        policy.locked(false, 40, 1, 2_000_000, Double.NaN);
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
        assertThat(policy.mostNanos(false)).isEqualTo(MINUTE);
        assertThat(policy.mostNanos(true)).isEqualTo(MINUTE);
    }

    @Test
    void fiveClientsWithoutUsOpenTheRow() {
        enter();
        twoBehind();
        few(4);
        assertThat(fronts()).isTrue();
        nanos.addAndGet(SECOND);
        twoBehind();
        many(5);
        assertThat(fronts()).isFalse();
        assertThat(policy.mostNanos(true)).isZero();
    }

    /** Clients without Rowlock may wait already, and they would get the row more often than those in a narrow queue. */
    @Test
    void theFirstCrowdWaitsAtTheServerUntilTheClientsAreCounted() {
        assertThat(asks(policy, 7, 0)).isFalse();
        assertThat(open.isOpen()).isFalse();
        assertThat(asks(policy, 8, 0)).isFalse();
        assertThat(open.isOpen()).isTrue();
        nanos.addAndGet(SECOND / 20);
        many(5);
        assertThat(clients.counted).isFalse();
        nanos.addAndGet(SECOND);
        few(4);
        assertThat(clients.counted).isTrue();
    }

    @Test
    void afterTheFirstCountTheQueueIsNarrowForEachKey() {
        OpenPolicy other = new OpenPolicy(nanos::get, clients);
        assertThat(other.asks(8, 0, false)).isFalse();
        assertThat(other.isOpen()).isTrue();
        assertThat(asks(policy, 8, 0)).isFalse();
        for (int i = 0; i < 2; i++) {
            assertThat(open.isOpen()).isTrue();
            nanos.addAndGet(SECOND / 20);
            assertThat(asks(policy, 8, 0)).isTrue();
            policy.answered(Question.WITHOUT_ROWLOCK, 4);
        }
        assertThat(open.isOpen()).isFalse();
        assertThat(fronts()).isFalse();
        for (OpenPolicy each : List.of(open, other, new OpenPolicy(nanos::get, clients))) {
            assertThat(each.isOpen()).isFalse();
            // The clients that wait for another row, perhaps of another table or database, are not counted yet.
            nanos.addAndGet(SECOND / 20);
            assertThat(each.asks(8, 0, false)).isEqualTo(each != open);
            assertThat(each.isOpen()).isFalse();
        }
    }

    /** Clients without Rowlock may start later, and a queue that has a front lock would not notice them otherwise. */
    @Test
    void theClientsAreCountedAgainAfterAMinute() {
        clients.counted = true;
        for (boolean front : List.of(false, true)) {
            if (front) {
                enter();
            }
            few(8, 4);
            assertThat(fronts()).isEqualTo(front);
            nanos.addAndGet(MINUTE - 1);
            others();
            assertThat(asks(policy, 100, 0)).isFalse();
            nanos.addAndGet(1);
            assertThat(asks(policy, 7, 0)).isFalse();
        }
        many(8, 5);
        nanos.addAndGet(SECOND);
        few(2, 4);
        assertThat(fronts()).isFalse();
    }

    /** The transactions of an application may all begin with a read, and then none of them asks. */
    @Test
    void anOpenRowIsClosedIfNoLockAsksForTenSeconds() {
        open();
        nanos.addAndGet(SECOND + OpenPolicy.OVERDUE_NANOS - 1);
        assertThat(open.isOpen()).isTrue();
        nanos.addAndGet(1);
        assertThat(fronts()).isFalse();
        assertThat(open.isOpen()).isFalse();
        assertThat(asks(policy, 2, 0)).isFalse();
        open();
    }

    /** A lock may wait long by chance, and rows beside it may have some waiters. */
    @Test
    void twoLongWaitsInARowAreAskedFor() {
        enter();
        behind(4);
        behind(3.9);
        behind(4);
        inFront(1, 20, 1);
        assertThat(asks(policy, 2, 0)).isFalse();
        behind(4);
        many(5);
    }

    @Test
    void theServerIsAskedOnceASecondAtMost() {
        enter();
        twoBehind();
        few(0);
        twoBehind();
        nanos.addAndGet(SECOND - 1);
        assertThat(asks(policy, 2, 0)).isFalse();
        nanos.addAndGet(1);
        assertThat(asks(policy, 2, 0)).isTrue();
        assertThat(asks(policy, 2, 0)).isFalse();
    }

    @Test
    void anOpenRowIsClosedWhenTheOthersAreGone() {
        open();
        for (int i = 0; i < 5; i++) {
            plain(100, 1, 1);
            nanos.addAndGet(SECOND - 1);
            assertThat(asks(policy, 2, 0)).isFalse();
            nanos.addAndGet(1);
            many(5);
        }
        nanos.addAndGet(SECOND);
        few(4);
        assertThat(fronts()).isFalse();
    }

    /** Hibernate's statements have no front lock, so nothing waits behind one. */
    @Test
    void whileOthersContendTheClientsAreCountedAgainAndAgain() {
        clients.counted = true;
        few(8, 4);
        for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            nanos.addAndGet(seconds * SECOND - 1);
            assertThat(asks(policy, 100, 20)).isFalse();
            nanos.addAndGet(1);
            assertThat(asks(policy, 7, 20)).isFalse();
            few(8, 4, 20);
        }
        assertThat(asks(policy, 8, 0.9)).isFalse();
        nanos.addAndGet(SECOND);
        assertThat(asks(policy, 8, 20)).isFalse();
        nanos.addAndGet(MINUTE);
        few(8, 4, 0.9);
        nanos.addAndGet(2 * SECOND);
        assertThat(asks(policy, 8, 1.9)).isFalse();
        many(8, 5, 2);
        nanos.addAndGet(SECOND);
        few(8, 4, 20);
        nanos.addAndGet(2 * SECOND);
        many(8, 5, 20);
    }

    /** The row may be held for seconds each time, and a lock that asks may be rare. */
    @Test
    void theSecondAnswerMayComeSecondsLaterButNotMuchLater() {
        assertThat(asks(policy, 8, 0)).isFalse();
        nanos.addAndGet(SECOND);
        assertThat(asks(policy, 8, 0)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, 4);
        nanos.addAndGet(OpenPolicy.OVERDUE_NANOS - 1);
        assertThat(asks(policy, 8, 0)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, 4);
        assertThat(open.isOpen()).isFalse();
        assertThat(clients.counted).isTrue();
        nanos.addAndGet(MINUTE);
        assertThat(asks(policy, 8, 0)).isTrue();
        policy.answered(Question.WITHOUT_ROWLOCK, 4);
        nanos.addAndGet(OpenPolicy.OVERDUE_NANOS);
        few(8, 4);
    }

    /** A read-only connection cannot be asked, and the queue of another may already be open. */
    @Test
    void aQuestionThatFailsDoesNotCloseAQueueBesideOthers() {
        open();
        for (int i = 0; i < 10; i++) {
            nanos.addAndGet(SECOND);
            assertThat(asks(policy, 2, 0)).isTrue();
            policy.answered(Question.WITHOUT_ROWLOCK, -1);
            assertThat(open.isOpen()).isTrue();
        }
        nanos.addAndGet(SECOND);
        assertThat(open.isOpen()).isFalse();
    }

    @Test
    void whereNothingCanBeAskedTheFirstCrowdWaitsAtTheServerOnceAMinute() {
        for (int i = 0; i < 2; i++) {
            assertThat(asks(policy, 8, 0)).isFalse();
            assertThat(open.isOpen()).isTrue();
            nanos.addAndGet(SECOND / 20);
            few(8, -1);
            assertThat(clients.counted).isFalse();
            nanos.addAndGet(MINUTE - 1);
            assertThat(asks(policy, 8, 0)).isFalse();
            assertThat(open.isOpen()).isFalse();
            nanos.addAndGet(1);
        }
    }

    /** A group runs many transactions each time it locks the row, so those without Rowlock do not matter to it. */
    @Test
    void groupsAskForOtherJvmsOnly() {
        enter();
        twoBehind();
        assertThat(policy.asks(8, true, 20)).isNull();
        nanos.addAndGet(MINUTE);
        assertThat(policy.asks(8, true, 20)).isEqualTo(Question.OTHER_JVMS);
        assertThat(open.isOpen()).isFalse();
    }

    /** A key that cannot be had may be another's for hours, or the right to the function is missing. */
    @Test
    void aKeyThatCannotBeHadIsLeftAloneForAMinute() {
        enter();
        nanos.addAndGet(SECOND + 1);
        policy.givenUp(SECOND);
        for (int i = 0; i < 60; i++) {
            plain(2, 20, 1);
            assertThat(policy.mostNanos(true)).isZero();
            nanos.addAndGet(SECOND);
        }
        assertThat(policy.mostNanos(true)).isPositive();
        others();
        enter();
    }

    /** On a busy machine the waits of one JVM vary, and look like a crowd. */
    @Test
    void aCrowdThatTheServerDoesNotShowLeadsToNoFront() {
        nanos.addAndGet(MINUTE);
        for (int seconds : List.of(1, 2, 4, 8, 8, 8)) {
            plain(100, 20, 1);
            assertThat(fronts()).isFalse();
            assertThat(policy.mostNanos(true)).isPositive();
            assertThat(fronts()).isFalse();
            assertThat(asksForOthers(policy, 1))
                    .as("a transaction that is alone")
                    .isFalse();
            assertThat(asksForOthers(policy, 2)).isTrue();
            assertThat(asksForOthers(policy, 2)).isFalse();
            policy.answered(Question.OTHER_JVMS, OtherClients.OTHERS - 1);
            plain(100, 20, 1);
            assertThat(fronts()).isFalse();
            nanos.addAndGet(seconds * SECOND - 1);
            assertThat(asksForOthers(policy, 2)).isFalse();
            nanos.addAndGet(1);
        }
        assertThat(asksForOthers(policy, 2)).isTrue();
        policy.answered(Question.OTHER_JVMS, OtherClients.OTHERS);
        nanos.addAndGet(OtherClients.BETWEEN_NANOS);
        assertThat(fronts()).as("one answer may be too large").isFalse();
        assertThat(asksForOthers(policy, 2)).isTrue();
        policy.answered(Question.OTHER_JVMS, OtherClients.OTHERS);
        assertThat(fronts()).isTrue();
    }

    @Test
    void theAnswerServesAllKeysAndIsRenewedBeforeItEnds() {
        enter();
        FrontPolicy other = new FrontPolicy(nanos::get, new OpenPolicy(nanos::get, clients), clients);
        other.locked(false, 20, 1, 20 * HOLD, Double.NaN);
        other.locked(false, 20, 1, 20 * HOLD, Double.NaN);
        assertThat(other.mostNanos(false)).isPositive();
        nanos.addAndGet(MINUTE / 2);
        assertThat(fronts()).isTrue();
        assertThat(asksForOthers(policy, 2)).isTrue();
        assertThat(asksForOthers(other, 2)).isFalse();
        policy.answered(Question.OTHER_JVMS, 0);
        assertThat(fronts()).isTrue();
        nanos.addAndGet(MINUTE / 2);
        assertThat(fronts()).isFalse();
        assertThat(asksForOthers(policy, 2)).as("without a long wait").isFalse();
        plain(1, 20, 1);
        assertThat(asksForOthers(policy, 2)).isTrue();
        policy.answered(Question.OTHER_JVMS, QueuePolicy.UNKNOWN);
        nanos.addAndGet(OtherClients.BETWEEN_NANOS);
        assertThat(asksForOthers(policy, 2)).isTrue();
        policy.answered(Question.OTHER_JVMS, QueuePolicy.UNKNOWN);
        assertThat(fronts()).as("a server that cannot tell").isTrue();
        nanos.addAndGet(MINUTE);
        assertThat(fronts()).isFalse();
        plain(1, 20, 1);
        assertThat(asksForOthers(policy, 2)).isTrue();
        policy.answered(Question.OTHER_JVMS, OtherClients.MANY);
        assertThat(fronts()).as("a fleet, which one answer shows").isTrue();
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
