package org.rowlock.jmh.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatioTest {
    @Test
    void roundsArePairedWithTheirOwnBaseline() {
        // The machine halves its speed in the second round: both are hit alike.
        Ratio ratio = Ratio.of(List.of(200.0, 100.0), List.of(100.0, 50.0)).orElseThrow();
        assertThat(ratio).isEqualTo(new Ratio(2, 2, 2));
    }

    @Test
    void theMeanIsGeometric() {
        Ratio ratio = Ratio.of(List.of(4.0, 1.0), List.of(1.0, 4.0)).orElseThrow();
        assertThat(ratio.mean()).isCloseTo(1, within(1e-9));
        assertThat(ratio.least()).isEqualTo(0.25);
        assertThat(ratio.most()).isEqualTo(4);
    }

    @Test
    void isClearOnlyIfEveryRoundAgrees() {
        assertThat(new Ratio(1.2, 1.1, 1.3).isClear()).isTrue();
        assertThat(new Ratio(0.8, 0.7, 0.9).isClear()).isTrue();
        assertThat(new Ratio(1.2, 0.9, 1.5).isClear()).isFalse();
    }

    @Test
    void thereIsNoneWithoutABaseline() {
        assertThat(Ratio.of(List.of(1.0), List.of())).isEmpty();
        assertThat(Ratio.of(List.of(1.0), List.of(0.0))).isEmpty();
    }
}
