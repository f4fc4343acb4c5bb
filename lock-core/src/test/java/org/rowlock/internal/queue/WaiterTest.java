package org.rowlock.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rowlock.internal.queue.Gate.Place;
import org.rowlock.testing.TestDatabase;

class WaiterTest {
    private static final long MOST = TestDatabase.DEADLINE.toNanos();

    private final Gate gate = new Gate(1, MOST);
    private final Place place = gate.placeOf(1);
    private final Waiter waiter = new Waiter();

    /** As by a cancel that comes between the statement and its wait. */
    @Test
    void aWakeBeforeTheWaitEndsIt() {
        assertThat(gate.tryEnter(place)).isTrue();
        assertThat(waiter.wake()).isTrue();
        assertThat(gate.enter(place, MOST, waiter)).isFalse();
        assertThat(gate.queued()).isZero();
        place.leave(true);
        assertThat(gate.inside()).isZero();
    }

    @Test
    void aWaitThatIsOverIsNotWoken() {
        assertThat(gate.tryEnter(place)).isTrue();
        assertThat(gate.enter(place, 1, waiter)).isFalse();
        assertThat(waiter.wake()).isFalse();
        place.leave(true);
    }

    /** Else a cancel would be taken for done, and the statement run on at the server. */
    @Test
    void aWaitThatWasNotNeededIsNotWoken() {
        assertThat(gate.enter(place, MOST, waiter)).isTrue();
        assertThat(waiter.wake()).isFalse();
        Waiter without = new Waiter();
        assertThat(gate.enter(place, 0, without)).isFalse();
        assertThat(without.wake()).isFalse();
        place.leave(true);
    }
}
