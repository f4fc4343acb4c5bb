package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.run.TurnFit.LoggedTurn;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Variant;

/** Collects the turns of one scenario, and compares its variants. */
public final class Rounds {
    private static final String WAIT = "wait.";

    /** The relative deviation from the requested round-trip time above which a remark is given. */
    private static final double INEXACT = 0.1;

    private static final int LONG_TURN_MILLIS = 1_000;

    private static final long SEED = 20_261;

    /**
     * The key of the largest share of the machine that other programs took in a turn of the variant or the baseline.
     */
    private static final String OTHERS = "others.most";

    private final Scenario scenario;
    private final int comparisons;
    private final List<Turn> measured = new ArrayList<>();

    /**
     * The point and the variant of a measurement.
     *
     * @param again whether the measurement is the second turn of the baseline in a round
     */
    public record Place(Point point, Variant variant, boolean again) {}

    private record Turn(Place place, int round, Measurement measurement) {}

    /**
     * @param comparisons the number of comparisons in the report, over all scenarios
     */
    public Rounds(Scenario scenario, int comparisons) {
        this.scenario = scenario;
        this.comparisons = comparisons;
    }

    /** Counts the comparisons in a report of these scenarios. */
    public static int comparisons(List<Scenario> scenarios) {
        return Math.max(
                1,
                scenarios.stream()
                        .mapToInt(each -> each.points().size()
                                * (int) each.variants().stream()
                                        .filter(variant -> !variant.isControl() && !variant.equals(each.baseline()))
                                        .count())
                        .sum());
    }

    /** Returns the turns of a round. The baseline is first and last, and every second round runs backwards. */
    public static List<Place> turns(Scenario scenario, Point point, int round) {
        List<Variant> others = new ArrayList<>(
                scenario.variants().subList(1, scenario.variants().size()));
        Collections.shuffle(others, new Random(SEED + (round - 1) / 2));
        List<Place> turns = new ArrayList<>();
        turns.add(new Place(point, scenario.baseline(), false));
        others.forEach(variant -> turns.add(new Place(point, variant, false)));
        turns.add(new Place(point, scenario.baseline(), true));
        if (round % 2 == 0) {
            Collections.reverse(turns);
        }
        return turns;
    }

    /** Adds a turn. */
    public void add(Place place, int round, Measurement measurement) {
        measured.add(new Turn(place, round, measurement));
    }

    void drop(Variant variant) {
        measured.removeIf(turn -> turn.place().variant().equals(variant));
    }

    boolean isEmpty() {
        return measured.isEmpty();
    }

    /** Compares the variants at each point by the turns so far. */
    public ScenarioResult compare() {
        List<PointResult> points = new ArrayList<>();
        for (Point point : scenario.points()) {
            List<VariantResult> variants = new ArrayList<>();
            Fitted fitted = fit(point);
            for (Variant variant : scenario.variants()) {
                List<Measurement> rounds =
                        turns(point, variant, false).map(Turn::measurement).toList();
                if (!rounds.isEmpty()) {
                    variants.add(compare(variant, rounds, fitted, othersShare(point, variant)));
                }
            }
            if (!variants.isEmpty()) {
                double roundTripMillis = Measurement.mean(variants.stream()
                        .map(variant -> variant.figures().getOrDefault("net.roundTrip", 0.0))
                        .toList());
                points.add(new PointResult(
                        point.label(), roundTripMillis, fitted.again(), fitted.smallestFound(), variants));
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

    private record Fitted(
            Map<Variant, List<LoggedTurn>> turns,
            @Nullable TurnFit fit,
            @Nullable Ratio again,
            @Nullable Double smallestFound) {}

    private Fitted fit(Point point) {
        Map<Variant, List<LoggedTurn>> turns = new LinkedHashMap<>();
        for (Variant variant : scenario.variants()) {
            List<LoggedTurn> all = new ArrayList<>(logged(point, variant, false));
            all.addAll(logged(point, variant, true));
            if (all.stream().allMatch(turn -> Double.isFinite(turn.logarithm()))) {
                turns.put(variant, all);
            }
        }
        // A control is left out of the fit, because its random error may differ from the error of real variants.
        TurnFit fit = TurnFit.of(
                        turns.entrySet().stream()
                                .filter(each -> !each.getKey().isControl())
                                .flatMap(each -> each.getValue().stream())
                                .toList(),
                        comparisons)
                .orElse(null);
        List<LoggedTurn> first = logged(point, scenario.baseline(), false);
        List<LoggedTurn> second = logged(point, scenario.baseline(), true);
        if (fit == null || first.isEmpty() || second.isEmpty() || !turns.containsKey(scenario.baseline())) {
            return new Fitted(turns, fit, null, null);
        }
        Ratio again = fit.again(second, first).orElse(null);
        return new Fitted(
                turns,
                fit,
                again,
                again == null ? null : fit.smallestFound(first.size(), first.size() + second.size()));
    }

    private List<LoggedTurn> logged(Point point, Variant variant, boolean again) {
        return turns(point, variant, again)
                .map(turn -> new LoggedTurn(variant.label(), turn.round(), Math.log(headline(turn.measurement()))))
                .toList();
    }

    private Stream<Turn> turns(Point point, Variant variant, boolean again) {
        Place place = new Place(point, variant, again);
        return measured.stream().filter(turn -> turn.place().equals(place));
    }

    /**
     * Returns the share of the machine that other programs took in the worst turn. Turns shorter than a second are too
     * short for that, so their mean counts.
     */
    private double othersShare(Point point, Variant variant) {
        DoubleSummaryStatistics shares = measured.stream()
                .filter(turn -> turn.place().point().equals(point))
                .filter(turn -> turn.place().variant().equals(variant)
                        || turn.place().variant().equals(scenario.baseline()))
                .mapToDouble(turn -> Limit.othersShare(turn.measurement().figures()))
                .summaryStatistics();
        boolean isShort = scenario.timing().windows() * scenario.timing().millis() < LONG_TURN_MILLIS;
        return isShort ? shares.getAverage() : Math.max(0, shares.getMax());
    }

    /** Returns the largest share of the machine that other programs took in a turn of the variant or the baseline. */
    static double othersShare(VariantResult result) {
        return result.figures().getOrDefault(OTHERS, 0.0);
    }

    private VariantResult compare(Variant variant, List<Measurement> rounds, Fitted fitted, double others) {
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
        Ratio ratio = isBaseline ? null : ratio(variant, fitted);
        figures.put(OTHERS, others);
        Call call = ratio == null || variant.isControl()
                ? null
                : others > Answer.MOST_OF_OTHERS ? Call.DISTURBED : Call.of(ratio, fitted.again());
        List<Double> course = rounds.get(0).course();
        return new VariantResult(
                variant.label(),
                isBaseline ? Kind.BASELINE : variant.isControl() ? Kind.CONTROL : Kind.VARIANT,
                rounds.stream().map(this::headline).filter(Double::isFinite).toList(),
                figures,
                waits,
                ratio,
                call,
                Limit.of(figures, waits),
                course.size() > 1 ? course : List.of());
    }

    private @Nullable Ratio ratio(Variant variant, Fitted fitted) {
        List<LoggedTurn> own = fitted.turns().get(variant);
        List<LoggedTurn> baseline = fitted.turns().get(scenario.baseline());
        if (fitted.fit() == null || own == null || baseline == null || baseline.isEmpty()) {
            return null;
        }
        return fitted.fit()
                .ratio(own, baseline)
                .map(ratio -> scenario.headline().better() == Metric.Better.LOWER ? ratio.inverse() : ratio)
                .orElse(null);
    }

    /** Returns a remark for each round trip that differs from the requested time. */
    List<String> remarks(ScenarioResult result) {
        List<String> remarks = new ArrayList<>();
        for (Point point : scenario.points()) {
            double asked = point.rttMillis();
            result.points().stream()
                    .filter(each -> each.label().equals(point.label()) && asked > 0)
                    .filter(each -> Math.abs(each.roundTripMillis() - asked) > INEXACT * asked)
                    .forEach(each -> remarks.add(String.format(
                            Locale.ROOT,
                            "%s, %s: a round trip took %.2f ms and not the requested %.2f ms. The proxy wakes late if"
                                    + " the processors are busy, and cannot be faster than the direct path.",
                            scenario.name(),
                            point.label(),
                            each.roundTripMillis(),
                            asked)));
        }
        return remarks;
    }

    private double headline(Measurement measurement) {
        return measurement.of(scenario.headline());
    }

    private static Map<String, Double> means(List<Measurement> rounds) {
        Map<String, DoubleSummaryStatistics> values = new TreeMap<>();
        rounds.forEach(round -> round.figures()
                .forEach((key, value) -> values.computeIfAbsent(key, name -> new DoubleSummaryStatistics())
                        .accept(value)));
        Map<String, Double> means = new TreeMap<>();
        // If a wait event is missing in a round, its number of sessions was zero.
        values.forEach(
                (key, all) -> means.put(key, key.startsWith(WAIT) ? all.getSum() / rounds.size() : all.getAverage()));
        return means;
    }
}
