package org.rowlock.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.jmh.run.Ratio;

class NoiseTest {
    private static final int TRIES = 40_000;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void isTakenForADifferenceInOneCaseOfTwenty(int rounds) {
        Random random = new Random(7);
        int taken = 0;
        for (int i = 0; i < TRIES; i++) {
            double[] logarithms = random.doubles(rounds)
                    .map(chance -> random.nextGaussian() * 0.1)
                    .toArray();
            double mean = DoubleStream.of(logarithms).average().orElseThrow();
            double least = DoubleStream.of(logarithms).min().orElseThrow();
            double most = DoubleStream.of(logarithms).max().orElseThrow();
            if (Noise.isExceededBy(new Ratio(Math.exp(mean), Math.exp(least), Math.exp(most)), rounds)) {
                taken++;
            }
        }
        // With five, some of the twentieth are not on one side in every round, and so not clear anyway.
        assertThat((double) taken / TRIES).isCloseTo(0.05, within(rounds < 5 ? 0.005 : 0.02));
    }

    @Test
    void isExceededByADifferenceLargerThanTheSpread() {
        assertThat(Noise.isExceededBy(new Ratio(2.0, 1.9, 2.1), 3)).isTrue();
        assertThat(Noise.isExceededBy(new Ratio(0.5, 0.48, 0.52), 3)).isTrue();
        assertThat(Noise.isExceededBy(new Ratio(2.0, 1.1, 4.0), 3)).isFalse();
        assertThat(Noise.isExceededBy(new Ratio(2.0, 1.9, 2.1), 1)).isFalse();
    }

    @Test
    void isExceededByWhatIsGoneAltogether() {
        assertThat(Noise.isExceededBy(new Ratio(0, 0, 0.0001), 3)).isTrue();
        assertThat(Noise.isExceededBy(new Ratio(0, 0, 0.9), 3)).isFalse();
    }
}
