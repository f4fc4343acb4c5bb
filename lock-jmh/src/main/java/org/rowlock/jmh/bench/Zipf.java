package org.rowlock.jmh.bench;

import java.util.stream.IntStream;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** The source of the numbers of keys. A sampler belongs to one thread. */
public final class Zipf {
    private Zipf() {}

    /**
     * Samples the numbers from 1 to the number of keys, 1 most often. The probability of a number is proportional to
     * the number to the power of -s. With s = 0 all are equally likely.
     */
    public static DiscreteSampler zipf(int keys, double s) {
        return zipf(RandomSource.XO_RO_SHI_RO_128_PP.create(), keys, s);
    }

    /** Returns the exponent with which the hottest of the keys has this share. */
    public static double exponent(int keys, double share) {
        double low = 0;
        double high = 20;
        while (high - low > 1e-3) {
            double s = (low + high) / 2;
            double all = IntStream.rangeClosed(1, keys)
                    .mapToDouble(key -> Math.pow(key, -s))
                    .sum();
            if (1 / all < share) {
                low = s;
            } else {
                high = s;
            }
        }
        return Math.round(50 * (low + high)) / 100.0;
    }

    static DiscreteSampler zipf(UniformRandomProvider random, int keys, double s) {
        return RejectionInversionZipfSampler.of(random, keys, s);
    }
}
