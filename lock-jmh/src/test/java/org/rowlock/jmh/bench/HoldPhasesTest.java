package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rowlock.jmh.bench.HoldPhases.Phase.AFTER;
import static org.rowlock.jmh.bench.HoldPhases.Phase.BEFORE;
import static org.rowlock.jmh.bench.HoldPhases.Phase.HELD;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldPhasesTest {
    @Test
    void theHoldBeginsAndEndsWithinTheRun() {
        assertThat(phases(8, 0.25, 0.75)).containsExactly(BEFORE, BEFORE, HELD, HELD, HELD, HELD, AFTER, AFTER);
    }

    @Test
    void aRunOfOneIterationIsHeldThroughout() {
        assertThat(phases(1, 0.15, 0.75)).containsExactly(HELD);
    }

    private static List<HoldPhases.Phase> phases(int iterations, double from, double until) {
        HoldPhases phases = new HoldPhases(iterations, from, until);
        List<HoldPhases.Phase> seen = new ArrayList<>();
        for (int i = 0; i < iterations; i++) {
            seen.add(phases.current());
            phases.measured(1);
        }
        return seen;
    }
}
