package org.rowlock.jmh.run;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A least-squares fit of the turns (measurements) at one point. The model: the logarithm of a result is an effect of
 * the variant, plus an effect of the round, plus a random error. The size of the error is estimated from all turns,
 * because two variants have too few turns.
 */
final class TurnFit {
    /**
     * The probability that all intervals of a report contain their true ratios (Bonferroni). At most one report in a
     * hundred has a wrong verdict.
     */
    private static final double CONFIDENCE = 0.99;

    private static final int LEAST_ROUNDS = 2;

    /**
     * The number of iterations. If no turn is missing, the first iteration is exact. Otherwise each iteration reduces
     * the remaining error.
     */
    private static final int STEPS = 30;

    private final double deviation;
    private final TDistribution student;
    private final double tail;

    record LoggedTurn(String variant, int round, double logarithm) {}

    private TurnFit(double deviation, int degrees, int comparisons) {
        this.tail = (1 - CONFIDENCE) / 2 / comparisons;
        this.deviation = deviation;
        this.student = TDistribution.of(degrees);
    }

    /**
     * Fits the turns; empty if there are too few turns to estimate the error.
     *
     * @param comparisons the number of ratios in the report, whose intervals must all be right
     */
    static Optional<TurnFit> of(List<LoggedTurn> turns, int comparisons) {
        Map<Integer, Double> ofRounds = new HashMap<>();
        turns.forEach(turn -> ofRounds.put(turn.round(), 0.0));
        Map<String, Double> ofVariants = Map.of();
        for (int step = 0; step < STEPS; step++) {
            ofVariants = means(turns, LoggedTurn::variant, turn -> ofRounds.getOrDefault(turn.round(), 0.0));
            Map<String, Double> variants = ofVariants;
            ofRounds.putAll(means(turns, LoggedTurn::round, turn -> variants.getOrDefault(turn.variant(), 0.0)));
        }
        int degrees = turns.size() - ofVariants.size() - ofRounds.size() + 1;
        if (ofRounds.size() < LEAST_ROUNDS || degrees < 1) {
            return Optional.empty();
        }
        double squares = 0;
        for (LoggedTurn turn : turns) {
            double fitted = ofRounds.getOrDefault(turn.round(), 0.0) + ofVariants.getOrDefault(turn.variant(), 0.0);
            squares += Math.pow(turn.logarithm() - fitted, 2);
        }
        return Optional.of(new TurnFit(Math.sqrt(squares / degrees), degrees, comparisons));
    }

    private static <K> Map<K, Double> means(
            List<LoggedTurn> turns, Function<LoggedTurn, K> by, ToDoubleFunction<LoggedTurn> without) {
        return turns.stream()
                .collect(Collectors.groupingBy(
                        by, Collectors.averagingDouble(turn -> turn.logarithm() - without.applyAsDouble(turn))));
    }

    /**
     * Returns the ratio of one variant to another, with its interval. Only rounds in which both variants have a turn
     * are used, because other rounds would bias the ratio. Empty with fewer than two such rounds. The turns need not be
     * part of the fit.
     */
    Optional<Ratio> ratio(List<LoggedTurn> of, List<LoggedTurn> to) {
        return ratio(of, to, tail);
    }

    /** Returns the ratio of the baseline to itself, which does not count as one of the comparisons. */
    Optional<Ratio> again(List<LoggedTurn> second, List<LoggedTurn> first) {
        return ratio(second, first, (1 - CONFIDENCE) / 2);
    }

    private Optional<Ratio> ratio(List<LoggedTurn> of, List<LoggedTurn> to, double missed) {
        Map<Integer, List<LoggedTurn>> own = byRound(of);
        Map<Integer, List<LoggedTurn>> others = byRound(to);
        own.keySet().retainAll(others.keySet());
        if (own.size() < LEAST_ROUNDS) {
            return Optional.empty();
        }
        double sum = 0;
        double variance = 0;
        for (Map.Entry<Integer, List<LoggedTurn>> round : own.entrySet()) {
            List<LoggedTurn> beside = others.getOrDefault(round.getKey(), List.of());
            sum += mean(round.getValue()) - mean(beside);
            variance += 1.0 / round.getValue().size() + 1.0 / beside.size();
        }
        double mean = sum / own.size();
        double reach = student.inverseSurvivalProbability(missed) * deviation * Math.sqrt(variance) / own.size();
        return Optional.of(new Ratio(Math.exp(mean), Math.exp(mean - reach), Math.exp(mean + reach)));
    }

    private static Map<Integer, List<LoggedTurn>> byRound(List<LoggedTurn> turns) {
        return turns.stream().collect(Collectors.groupingBy(LoggedTurn::round, TreeMap::new, Collectors.toList()));
    }

    private static double mean(List<LoggedTurn> turns) {
        return turns.stream().mapToDouble(LoggedTurn::logarithm).average().orElse(Double.NaN);
    }
}
