package org.rowlock.jmh.bench;

import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** Samples key numbers from a zipfian distribution. A sampler is for one thread. */
public final class Zipf {
    private Zipf() {}

    /**
     * Samples the numbers from 1 to the number of keys, 1 most often. The probability of n is proportional to n to the
     * power of -s. With s = 0, all numbers are equally likely.
     */
    public static DiscreteSampler zipf(int keys, double s) {
        return RejectionInversionZipfSampler.of(RandomSource.XO_RO_SHI_RO_128_PP.create(), keys, s);
    }

    /** Returns the exponent for which the hottest key has this share of all samples. */
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
}
