package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.TestDatabase;

/** Whom a queue of width 1 lets in while nobody gets the row. */
class StuckQueueTest {
    private static final long NEVER_OVER = Duration.ofHours(1).toNanos();

    private static final int ROW = 4711;

    private final KeyQueues queues = FixedWidth.queues(1, NEVER_OVER);
    private final KeyQueue place = queues.queueOf(ROW);
    private final List<QueueEntry> entries = new CopyOnWriteArrayList<>();
    private final List<Thread> waiters = new ArrayList<>();

    @BeforeEach
    void oneIsInAndTenWait() {
        assertThat(entry().tryEnter()).isTrue();
        for (int i = 0; i < 10; i++) {
            wait(i);
        }
    }

    private QueueEntry entry() {
        QueueEntry entry = queues.entry(ROW, null);
        entries.add(entry);
        return entry;
    }

    /** The first of those inside. */
    private void leave(boolean got) {
        entries.stream().filter(QueueEntry::isIn).findFirst().orElseThrow().endServerWait(got, true);
    }

    private void wait(int queued) {
        Thread waiter = new Thread(() -> entry().enter(NEVER_OVER, Integer.MAX_VALUE));
        waiters.add(waiter);
        waiter.start();
        TestDatabase.await().until(() -> queues.queued() == queued + 1);
    }

    @AfterEach
    void allGetIn() throws Exception {
        while (queues.queued() > 0) {
            place.widen(0);
        }
        for (Thread waiter : waiters) {
            waiter.join(TestDatabase.DEADLINE.toMillis());
            assertThat(waiter.isAlive()).isFalse();
        }
    }

    private void admitMore() {
        place.widen(NEVER_OVER);
    }

    @Test
    void oneThenTwoThenFour() {
        List<Integer> inside = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            admitMore();
            inside.add(place.inside());
        }
        assertThat(inside).containsExactly(2, 4, 8, 11);
        assertThat(queues.queued()).isZero();
    }

    @Test
    void noneBeforeTheTimeIsOver() {
        place.admitMore();
        assertThat(place.inside()).isOne();
    }

    /** Who came in later may have another row, and those in front of him may never get theirs. */
    @Test
    void itStaysWideForAWhile() {
        admitMore();
        leave(true);
        assertThat(place.inside()).isEqualTo(2);
        assertThat(queues.queued()).isEqualTo(8);
    }

    /** Else a crowd at the server would never get smaller. */
    @Test
    void afterThatNobodyBeyondTheBoundIsReplaced() {
        place.widen(0);
        place.widen(0);
        assertThat(place.inside()).isEqualTo(4);
        for (int i = 0; i < 3; i++) {
            leave(true);
        }
        assertThat(place.inside()).isOne();
        assertThat(queues.queued()).isEqualTo(7);
        leave(true);
        assertThat(place.inside()).isOne();
        assertThat(queues.queued()).isEqualTo(6);
    }

    @Test
    void afterSomebodyGotTheRowItBeginsWithOneAgain() {
        admitMore();
        admitMore();
        leave(true);
        admitMore();
        assertThat(place.inside()).isEqualTo(5);
    }

    @Test
    void whoFailsHasNotGotIt() {
        admitMore();
        admitMore();
        leave(false);
        admitMore();
        assertThat(place.inside()).isEqualTo(8);
    }

    /** Those who pass hold something at the server already, and do not ask. */
    @Test
    void whoPassesTakesNobodysTurn() {
        entry().pass();
        entry().pass();
        admitMore();
        assertThat(place.inside()).isEqualTo(4);
        assertThat(queues.queued()).isEqualTo(9);
    }
}
