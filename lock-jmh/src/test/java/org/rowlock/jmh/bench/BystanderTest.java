package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.profile.Published;

class BystanderTest {
    private final Bystander workload = new Bystander();
    private final Published results = new Published(1, 0);

    @Test
    void locksThatWereDueAndHaveNotBegunAreLate() {
        endAWindow(1);
        assertThat(results.all()).containsKeys("lock.p50", "lock.max");
    }

    @Test
    void nothingIsDueWithoutLockers() {
        endAWindow(0);
        assertThat(results.all()).isEmpty();
    }

    private void endAWindow(int lockers) {
        workload.lockers = lockers;
        workload.rate = 1_000_000;
        workload.begins(true);
        workload.ends(true, results);
        workload.meter.take(results);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN})
    void aRateThatCannotBeKeptIsRefused(double rate) {
        workload.rate = rate;
        assertThatThrownBy(workload::prepare)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give more than 0");
    }
}
