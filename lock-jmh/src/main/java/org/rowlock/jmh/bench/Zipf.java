package org.rowlock.jmh.bench;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** Where the numbers of keys come from. A sampler belongs to one thread. */
public final class Zipf {
    private Zipf() {}

    /**
     * 1 to the number of keys, the first the most often: with probability proportional to rank to the power of -s. With
     * s = 0 all are equally often.
     */
    public static DiscreteSampler zipf(int keys, double s) {
        return zipf(RandomSource.XO_RO_SHI_RO_128_PP.create(), keys, s);
    }

    static DiscreteSampler zipf(UniformRandomProvider random, int keys, double s) {
        return RejectionInversionZipfSampler.of(random, keys, s);
    }
}
