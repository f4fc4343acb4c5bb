package org.rowlock.jmh.run;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.commons.statistics.descriptive.DoubleStatistics;
import org.apache.commons.statistics.descriptive.Statistic;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * How many times as good one is as another, with the interval in which that lies with 95 % confidence: Student's, of the
 * logarithms of the rounds' ratios.
 *
 * @param mean the geometric mean
 */
public record Ratio(double mean, double low, double high) {
    private static final double CONFIDENCE = 0.95;

    /** Of a ratio for each round; empty with fewer than two, or where one is none. */
    static Optional<Ratio> of(List<Double> ratios) {
        double[] logarithms = ratios.stream().mapToDouble(Math::log).toArray();
        DoubleStatistics statistics =
                DoubleStatistics.of(java.util.EnumSet.of(Statistic.MEAN, Statistic.STANDARD_DEVIATION), logarithms);
        double mean = statistics.getAsDouble(Statistic.MEAN);
        if (logarithms.length < 2 || !Double.isFinite(mean)) {
            return Optional.empty();
        }
        double error = statistics.getAsDouble(Statistic.STANDARD_DEVIATION) / Math.sqrt(logarithms.length);
        double t = TDistribution.of(logarithms.length - 1.0).inverseSurvivalProbability((1 - CONFIDENCE) / 2);
        return Optional.of(new Ratio(Math.exp(mean), Math.exp(mean - t * error), Math.exp(mean + t * error)));
    }

    /** Such as {@code 1.62x (1.45 to 1.82)}. */
    @Override
    public String toString() {
        return digits(mean) + "x (" + digits(low) + " to " + digits(high) + ')';
    }

    /** Hundredths of hundreds mean nothing. */
    static String digits(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }

    /** How far from 1 it may be, in either direction, as a ratio of at least 1. */
    double reach() {
        return Math.max(high, 1 / low);
    }
}
