package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares samples with the exact distribution. The keys are so few that the exact probabilities can be summed. */
class ZipfTest {
    private static final int SAMPLES = 1_000_000;
    private static final long SEED = 42;

    /** The probability of a worse fit by chance. The seed is fixed, so every run has the same result. */
    private static final double SIGNIFICANCE = 0.001;

    @ParameterizedTest
    @CsvSource({"100, 1.1", "100, 1.0", "100, 0.5", "10, 2.0", "1000, 1.1"})
    void samplesFollowTheExactDistribution(int keys, double s) {
        assertThat(fit(keys, s, s)).isGreaterThan(SIGNIFICANCE);
    }

    /** Shows that the comparison detects a wrong exponent. */
    @ParameterizedTest
    @CsvSource({"100, 1.1, 1.09", "100, 1.1, 1.11"})
    void anotherExponentIsNoticed(int keys, double s, double other) {
        assertThat(fit(keys, s, other)).isLessThan(SIGNIFICANCE);
    }

    private static double fit(int keys, double expected, double sampled) {
        DiscreteSampler sampler = Zipf.zipf(RandomSource.XO_RO_SHI_RO_128_PP.create(SEED), keys, sampled);
        long[] seen = new long[keys];
        for (int i = 0; i < SAMPLES; i++) {
            seen[sampler.sample() - 1]++;
        }
        return new ChiSquareTest().chiSquareTest(exact(keys, expected), seen);
    }

    private static double[] exact(int keys, double s) {
        double[] weights = IntStream.rangeClosed(1, keys)
                .mapToDouble(rank -> Math.pow(rank, -s))
                .toArray();
        double sum = IntStream.range(0, keys).mapToDouble(i -> weights[i]).sum();
        return IntStream.range(0, keys)
                .mapToDouble(i -> weights[i] / sum * SAMPLES)
                .toArray();
    }
}
