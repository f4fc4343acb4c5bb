package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.QueueEntry.State;
import org.rowlock.testing.FixedWidth;
import org.rowlock.testing.TestDatabase;

/** What ends a wait, and when it is too late for that. */
class QueueEntryTest {
    private static final long MOST = TestDatabase.DEADLINE.toNanos();

    private final KeyQueues queues = FixedWidth.queues(1, MOST);
    private final QueueEntry holder = queues.entry(1, null);
    private final QueueEntry entry = queues.entry(1, null);

    private static State enter(QueueEntry entry, long mostNanos) {
        return entry.enter(mostNanos, Integer.MAX_VALUE);
    }

    /** As by a cancel that comes between the statement and its wait. */
    @Test
    void aWakeBeforeTheWaitEndsIt() {
        assertThat(holder.tryEnter()).isTrue();
        assertThat(entry.wake()).isTrue();
        assertThat(enter(entry, MOST)).isEqualTo(State.OVER);
        assertThat(queues.queued()).isZero();
        entry.leave();
        holder.endServerWait(true, true);
        assertThat(queues.inside()).isZero();
    }

    @Test
    void aWaitThatIsOverIsNotWoken() {
        assertThat(holder.tryEnter()).isTrue();
        assertThat(enter(entry, 1)).isEqualTo(State.OVER);
        assertThat(entry.wake()).isFalse();
    }

    /** Else a cancel would be taken for done, and the statement run on at the server. */
    @Test
    void aWaitThatWasNotNeededIsNotWoken() {
        assertThat(enter(entry, MOST)).isEqualTo(State.IN);
        assertThat(entry.wake()).isFalse();
        assertThat(enter(holder, 0)).isEqualTo(State.OVER);
        assertThat(holder.wake()).isFalse();
    }

    @Test
    void toLeaveTwiceIsToLeaveOnce() {
        assertThat(holder.tryEnter()).isTrue();
        holder.leave();
        holder.leave();
        assertThat(queues.inside()).isZero();
        assertThat(holder.tryEnter()).isFalse();
    }

    /** Only where a place is kept the queue itself has seen all that this JVM wants. */
    @Test
    void whatOtherInstancesWantIsWantedWhereverItWasWaitedFor() {
        KeyQueues seen = KeyQueues.adaptive(0);
        QueueEntry kept = seen.join("key", false, null);
        QueueEntry inHand = seen.entry("key".hashCode(), null);
        assertThat(kept.tryEnter()).isTrue();
        assertThat(inHand.tryEnter()).isTrue();
        inHand.leave();
        assertThat(kept.isWanted()).isFalse();
        assertThat(inHand.isWanted()).isFalse();
        kept.queue.policy.held(1_000, true);
        for (int i = 0; i < 100; i++) {
            kept.queue.policy.waited(8_000, 1, -1);
        }
        assertThat(kept.isWanted()).isTrue();
        assertThat(inHand.isWanted()).isTrue();
    }

    @Test
    void whatNeverEnteredHasNothingToGiveBack() {
        QueueEntry never = queues.join("key", false, null);
        assertThat(queues.keysInUse()).isOne();
        never.leave();
        never.leave();
        assertThat(queues.keysInUse()).isZero();
    }
}
