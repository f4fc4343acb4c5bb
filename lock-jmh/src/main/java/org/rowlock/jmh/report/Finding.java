package org.rowlock.jmh.report;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.run.ScenarioResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;
import org.rowlock.jmh.scenario.Point;

/**
 * A variant against another at one point, in one metric.
 *
 * @param result of which scenario
 * @param variant which is judged
 * @param baseline by which
 * @param values of the variant, per round
 * @param baselines of the baseline, per round
 * @param ratio null where there is none: nothing to compare, or a baseline of zero
 */
record Finding(
        ScenarioResult result,
        Metric metric,
        Point point,
        String variant,
        String baseline,
        List<Double> values,
        List<Double> baselines,
        @Nullable Ratio ratio) {
    /** What is clear but smaller decides nothing. */
    private static final double MATERIAL = Math.log(1.05);

    /** What it comes to. */
    enum Outcome {
        /** Better in every round, and by more than noise; or better in the only round. */
        GAIN,
        /** Worse in every round, and by more than noise; or worse in the only round. */
        LOSS,
        /** Neither. */
        SAME,
        /** One of the two was not measured, or the metric has no better and worse. */
        NONE
    }

    static Finding of(ScenarioResult result, Metric metric, Point point, String variant, String baseline) {
        return new Finding(
                result,
                metric,
                point,
                variant,
                baseline,
                perRound(result, metric, point, variant),
                perRound(result, metric, point, baseline),
                result.ratio(metric.key(), point, variant, baseline).orElse(null));
    }

    private static List<Double> perRound(ScenarioResult result, Metric metric, Point point, String variant) {
        return result.cell(point, variant)
                .map(cell -> cell.perRound(metric.key()))
                .orElse(List.of());
    }

    /** How many rounds have both. */
    int rounds() {
        return Math.min(values.size(), baselines.size());
    }

    Outcome outcome() {
        if (metric.better() == Better.NEITHER || rounds() == 0) {
            return Outcome.NONE;
        }
        int side = side();
        if (side == 0 || isOpen()) {
            return Outcome.SAME;
        }
        return side > 0 == (metric.better() == Better.HIGHER) ? Outcome.GAIN : Outcome.LOSS;
    }

    /** 1 if the variant has more in every round, -1 if it has less in every round, or else 0. */
    private int side() {
        boolean more = true;
        boolean less = true;
        for (int round = 0; round < rounds(); round++) {
            more &= values.get(round) > baselines.get(round);
            less &= values.get(round) < baselines.get(round);
        }
        return more == less ? 0 : more ? 1 : -1;
    }

    /** Whether all rounds are on one side, and too far apart to say that this is no chance: more rounds would tell. */
    boolean isOpen() {
        return rounds() > 1 && side() != 0 && ratio != null && !Noise.isExceededBy(ratio, rounds());
    }

    boolean isGain() {
        return outcome() == Outcome.GAIN;
    }

    boolean isLoss() {
        return outcome() == Outcome.LOSS;
    }

    /** Clear, of more than one round, and large enough to decide by. */
    boolean isMaterial() {
        return (isGain() || isLoss()) && rounds() > 1 && Math.abs(size()) >= MATERIAL;
    }

    /** How much better, as the logarithm of the ratio: positive for a gain, infinite where something begins or ends. */
    double size() {
        if (outcome() == Outcome.NONE) {
            return 0;
        }
        double sign = metric.better() == Better.HIGHER ? 1 : -1;
        if (ratio != null) {
            return sign * Math.log(ratio.mean());
        }
        double from = mean(baselines);
        double to = mean(values);
        return from == to ? 0 : sign * (to > from ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY);
    }

    /** The mean of the variant; empty if it was not measured. */
    Optional<Double> value() {
        return values.isEmpty() ? Optional.empty() : Optional.of(mean(values));
    }

    /** {@code 2.00x}, or {@code 0 instead of 12} where a ratio says nothing. */
    String amount() {
        if (ratio == null || ratio.mean() == 0) {
            return rounds() == 0
                    ? ""
                    : Numbers.value(mean(values)) + " instead of " + Numbers.value(mean(baselines), metric);
        }
        return Numbers.ratio(ratio.mean());
    }

    /** The least and the most of any round, without parentheses; empty where there is no ratio. */
    String spread() {
        return ratio == null || ratio.mean() == 0 ? "" : Numbers.spread(ratio, rounds());
    }

    /** {@code throughput 2.00x (1.93x to 2.10x)}. */
    String words() {
        if (ratio == null || ratio.mean() == 0) {
            return metric.title() + " " + amount();
        }
        return metric.title() + " " + amount() + " (" + spread() + ")";
    }

    /** {@link #words} and where. */
    String wordsAt() {
        return words() + Words.at(result, List.of(point));
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }
}
