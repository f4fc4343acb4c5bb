package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.Gate.Place;
import org.rowlock.testing.TestDatabase;

/** Whom a gate of one lets in while nobody gets the row. */
class StuckGateTest {
    private static final long NEVER_OVER = Duration.ofHours(1).toNanos();

    private final Gate gate = new Gate(1, NEVER_OVER);
    private final Place place = gate.placeOf(4711);
    private final List<Thread> waiters = new ArrayList<>();

    @BeforeEach
    void oneIsInAndTenWait() {
        assertThat(gate.tryEnter(place)).isTrue();
        for (int i = 0; i < 10; i++) {
            wait(i);
        }
    }

    private void wait(int queued) {
        Thread waiter = new Thread(() -> gate.enter(place, NEVER_OVER, null));
        waiters.add(waiter);
        waiter.start();
        Awaitility.await()
                .atMost(TestDatabase.DEADLINE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> gate.queued() == queued + 1);
    }

    @AfterEach
    void allGetIn() throws Exception {
        while (gate.queued() > 0) {
            place.letInMore(0, 0);
        }
        for (Thread waiter : waiters) {
            waiter.join(TestDatabase.DEADLINE.toMillis());
            assertThat(waiter.isAlive()).isFalse();
        }
    }

    private void letInMore() {
        place.letInMore(0, NEVER_OVER);
    }

    @Test
    void oneThenTwoThenFour() {
        List<Integer> inside = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            letInMore();
            inside.add(place.inside());
        }
        assertThat(inside).containsExactly(2, 4, 8, 11);
        assertThat(gate.queued()).isZero();
    }

    @Test
    void noneBeforeTheTimeIsOver() {
        place.letInMore(NEVER_OVER, NEVER_OVER);
        assertThat(place.inside()).isOne();
    }

    /** Who came in later may have another row, and those in front of him may never get theirs. */
    @Test
    void itStaysWideForAWhile() {
        letInMore();
        place.leave(true);
        assertThat(place.inside()).isEqualTo(2);
        assertThat(gate.queued()).isEqualTo(8);
    }

    /** Else a crowd at the server would never get smaller. */
    @Test
    void afterThatNobodyBeyondTheBoundIsReplaced() {
        place.letInMore(0, 0);
        place.letInMore(0, 0);
        assertThat(place.inside()).isEqualTo(4);
        for (int i = 0; i < 3; i++) {
            place.leave(true);
        }
        assertThat(place.inside()).isOne();
        assertThat(gate.queued()).isEqualTo(7);
        place.leave(true);
        assertThat(place.inside()).isOne();
        assertThat(gate.queued()).isEqualTo(6);
    }

    @Test
    void afterSomebodyGotTheRowItBeginsWithOneAgain() {
        letInMore();
        letInMore();
        place.leave(true);
        letInMore();
        assertThat(place.inside()).isEqualTo(5);
    }

    @Test
    void whoFailsHasNotGotIt() {
        letInMore();
        letInMore();
        place.leave(false);
        letInMore();
        assertThat(place.inside()).isEqualTo(8);
    }

    /** Those who pass hold something at the server already, and do not ask. */
    @Test
    void whoPassesTakesNobodysTurn() {
        gate.pass(place);
        gate.pass(place);
        letInMore();
        assertThat(place.inside()).isEqualTo(4);
        assertThat(gate.queued()).isEqualTo(9);
    }
}
