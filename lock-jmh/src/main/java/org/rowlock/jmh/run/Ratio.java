package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A ratio with its spread over the rounds.
 *
 * @param mean the geometric mean
 * @param least the least of any round
 * @param most the most of any round
 */
public record Ratio(double mean, double least, double most) {

    /** Of values to baselines, pair by pair; empty where there is no pair, or a baseline is zero. */
    static Optional<Ratio> of(List<Double> values, List<Double> baselines) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(values.size(), baselines.size()); i++) {
            double ratio = values.get(i) / baselines.get(i);
            if (!Double.isFinite(ratio)) {
                return Optional.empty();
            }
            ratios.add(ratio);
        }
        if (ratios.isEmpty()) {
            return Optional.empty();
        }
        double least = ratios.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double most = ratios.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        double logarithms = ratios.stream().mapToDouble(Math::log).sum();
        return Optional.of(new Ratio(least <= 0 ? 0 : Math.exp(logarithms / ratios.size()), least, most));
    }

    /** Whether every round was on the same side of 1, so that the difference is more than noise. */
    public boolean isClear() {
        return least > 1 || most < 1;
    }
}
