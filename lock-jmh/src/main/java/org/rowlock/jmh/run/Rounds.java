package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/** Gathers the rounds of one scenario, and compares. */
final class Rounds {
    private static final String WAIT = "wait.";

    private final Scenario scenario;
    private final Map<Place, Map<Integer, Measurement>> measured = new LinkedHashMap<>();

    /**
     * Where something was measured.
     *
     * @param again whether it is the baseline's second turn in each round
     */
    record Place(Point point, Variant variant, boolean again) {}

    Rounds(Scenario scenario) {
        this.scenario = scenario;
    }

    void add(Place place, int round, Measurement measurement) {
        measured.computeIfAbsent(place, key -> new TreeMap<>()).put(round, measurement);
    }

    /** Forgets a variant whose locks are wrong: a fast wrong lock is no result. */
    void drop(Variant variant) {
        measured.keySet().removeIf(place -> place.variant().equals(variant));
    }

    boolean isEmpty() {
        return measured.isEmpty();
    }

    ScenarioResult compare() {
        List<PointResult> points = new ArrayList<>();
        for (Point point : scenario.points()) {
            List<VariantResult> variants = new ArrayList<>();
            Ratio again = again(point);
            for (Variant variant : scenario.variants()) {
                Map<Integer, Measurement> rounds = rounds(point, variant, false);
                if (!rounds.isEmpty()) {
                    variants.add(compare(point, variant, rounds, again));
                }
            }
            if (!variants.isEmpty()) {
                double way = Measurement.mean(variants.stream()
                        .map(variant -> variant.figures().getOrDefault("net.roundTrip", 0.0))
                        .toList());
                points.add(new PointResult(point.label(), way, again, variants));
            }
        }
        return new ScenarioResult(
                scenario.name(),
                scenario.title(),
                scenario.question(),
                scenario.published(),
                scenario.baseline().label(),
                scenario.metrics(),
                points);
    }

    private @Nullable Ratio again(Point point) {
        Map<Integer, Measurement> first = rounds(point, scenario.baseline(), false);
        Map<Integer, Measurement> second = rounds(point, scenario.baseline(), true);
        return ratio(second, first, first);
    }

    private VariantResult compare(
            Point point, Variant variant, Map<Integer, Measurement> rounds, @Nullable Ratio again) {
        Map<String, Double> figures = new TreeMap<>();
        Map<String, Double> waits = new TreeMap<>();
        means(rounds).forEach((key, value) -> {
            if (key.startsWith(WAIT)) {
                waits.put(key.substring(WAIT.length()), value);
            } else if (Double.isFinite(value)) {
                figures.put(key, value);
            }
        });
        boolean isBaseline = variant.equals(scenario.baseline());
        Map<Integer, Measurement> first = rounds(point, scenario.baseline(), false);
        Map<Integer, Measurement> second = rounds(point, scenario.baseline(), true);
        Ratio ratio = isBaseline ? null : ratio(rounds, first, second);
        Call call = ratio == null || variant.isControl() ? null : Call.of(ratio, again);
        List<Double> course = rounds.values().iterator().next().course();
        return new VariantResult(
                variant.label(),
                isBaseline ? Kind.BASELINE : variant.isControl() ? Kind.CONTROL : Kind.VARIANT,
                rounds.values().stream()
                        .map(this::headline)
                        .filter(Double::isFinite)
                        .toList(),
                figures,
                waits,
                ratio,
                call,
                call == null || ratio == null
                        ? ""
                        : call.sentence(variant.label(), scenario.baseline().label(), ratio, again),
                Limit.of(figures, waits),
                course.size() > 1 ? course : List.of());
    }

    /** To the mean of two turns of the baseline in the same round. */
    private @Nullable Ratio ratio(
            Map<Integer, Measurement> rounds, Map<Integer, Measurement> first, Map<Integer, Measurement> second) {
        List<Double> ratios = new ArrayList<>();
        rounds.forEach((round, measurement) -> {
            Measurement one = first.get(round);
            Measurement other = second.getOrDefault(round, one);
            if (one != null && other != null) {
                double baseline = Math.sqrt(headline(one) * headline(other));
                ratios.add(gain(headline(measurement), baseline));
            }
        });
        return Ratio.of(ratios).orElse(null);
    }

    private double headline(Measurement measurement) {
        return measurement.figures().getOrDefault(scenario.headline().key(), Double.NaN);
    }

    /** Above 1 where it is better. */
    private double gain(double value, double baseline) {
        return scenario.headline().better() == Metric.Better.LOWER ? baseline / value : value / baseline;
    }

    private Map<Integer, Measurement> rounds(Point point, Variant variant, boolean again) {
        return measured.getOrDefault(new Place(point, variant, again), Map.of());
    }

    private static Map<String, Double> means(Map<Integer, Measurement> rounds) {
        Map<String, List<Double>> values = new TreeMap<>();
        for (Measurement measurement : rounds.values()) {
            measurement
                    .figures()
                    .forEach((key, value) -> values.computeIfAbsent(key, name -> new ArrayList<>())
                            .add(value));
        }
        Map<String, Double> means = new TreeMap<>();
        // A wait that a round has not seen was zero there.
        values.forEach((key, all) -> means.put(
                key,
                key.startsWith(WAIT)
                        ? all.stream().mapToDouble(Double::doubleValue).sum() / rounds.size()
                        : Measurement.mean(all)));
        return means;
    }
}
