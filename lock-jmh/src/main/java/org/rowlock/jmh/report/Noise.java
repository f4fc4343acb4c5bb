package org.rowlock.jmh.report;

import org.rowlock.jmh.run.Ratio;

/**
 * Whether a ratio is more than noise: whether its mean is further from 1 than rounds which differ so much among
 * themselves get by chance in one case of twenty. That is Lord's test (E. Lord, The use of range in place of standard
 * deviation in the t-test, Biometrika 34, 1947), which is made for a handful of values.
 */
final class Noise {
    /** By the number of rounds: how many times their range the mean must be away, at 5 %, both sides together. */
    private static final double[] RANGES = {
        Double.NaN, Double.NaN, 6.353, 1.304, 0.717, 0.507, 0.399, 0.333, 0.288, 0.255, 0.230
    };

    private Noise() {}

    /** Never with less than two rounds, which have no range. */
    static boolean isExceededBy(Ratio ratio, int rounds) {
        if (rounds < 2 || !ratio.isClear()) {
            return false;
        }
        double ranges = RANGES[Math.min(rounds, RANGES.length - 1)];
        if (ratio.least() <= 0) {
            // A logarithm knows no zero; what is left of the baseline is compared as it is.
            return 1 - ratio.most() > ranges * ratio.most();
        }
        return Math.abs(Math.log(ratio.mean())) > ranges * Math.log(ratio.most() / ratio.least());
    }
}
