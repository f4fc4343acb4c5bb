package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FixedRateTest {
    private final AtomicLong now = new AtomicLong(-7_000);
    private final FixedRate pace = new FixedRate(1_000_000, now::get);

    @Test
    void startsKeepTheirTimesHoweverLateTheyAreTaken() {
        assertThat(pace.next()).isEqualTo(-7_000);
        now.addAndGet(50_000);
        assertThat(pace.next()).isEqualTo(-6_000);
        assertThat(pace.next()).isEqualTo(-5_000);
    }

    @Test
    void theFirstStartAfterAResetIsNow() {
        long first = pace.next();
        now.addAndGet(50_000);
        pace.reset();
        assertThat(pace.next()).isEqualTo(first + 50_000);
    }

    @Test
    void whatWasDueAndNobodyTookIsAsLateAsItIsWhenThePaceStops() {
        pace.next();
        now.addAndGet(3_500);
        pace.stop();
        now.addAndGet(50_000);
        pace.stop();
        assertThat(untaken()).containsExactly(2_500L, 1_500L, 500L);
    }

    @Test
    void nothingIsDueWhereNobodyKeepsThePace() {
        now.addAndGet(50_000);
        assertThat(untaken()).isEmpty();
    }

    @Test
    void aRateOfNothingIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new FixedRate(0, now::get));
        assertThatIllegalArgumentException().isThrownBy(() -> new FixedRate(Double.NaN, now::get));
    }

    private List<Long> untaken() {
        List<Long> late = new ArrayList<>();
        pace.untaken(late::add);
        return late;
    }
}
