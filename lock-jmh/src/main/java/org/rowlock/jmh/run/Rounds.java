package org.rowlock.jmh.run;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
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

/** Collects the turns (measurements) of one scenario, and compares its variants. */
public final class Rounds {
    /** The relative deviation from the requested round-trip time above which a remark is given. */
    private static final double INEXACT = 0.1;

    private static final int LONG_TURN_MILLIS = 1_000;

    /** The key of {@link #othersShare(Point, Variant)} among the figures of a result. */
    private static final String OTHERS = "others.share";

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
        this.comparisons = Math.max(1, comparisons);
    }

    public void add(Place place, int round, Measurement measurement) {
        measured.add(new Turn(place, round, measurement));
    }

    void drop(Predicate<Place> places) {
        measured.removeIf(turn -> places.test(turn.place()));
    }

    boolean isEmpty() {
        return measured.isEmpty();
    }

    public ScenarioResult compare() {
        List<PointResult> points = new ArrayList<>();
        for (Point point : scenario.points()) {
            List<VariantResult> variants = new ArrayList<>();
            // A control is left out of the fit, because its random error may differ from the error of real variants.
            TurnFit fit = TurnFit.of(logged(turns(point, variant -> !variant.isControl())), comparisons)
                    .orElse(null);
            Ratio again = fit == null
                    ? null
                    : fit.again(baseline(point, true), baseline(point, false)).orElse(null);
            for (Variant variant : scenario.variants()) {
                List<Measurement> rounds = turns(point, variant)
                        .filter(turn -> !turn.place().again())
                        .map(Turn::measurement)
                        .toList();
                if (!rounds.isEmpty()) {
                    variants.add(compare(point, variant, rounds, fit, again));
                }
            }
            if (!variants.isEmpty()) {
                points.add(new PointResult(point.label(), roundTripMillis(point), again, variants));
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

    private List<LoggedTurn> baseline(Point point, boolean again) {
        return logged(
                turns(point, scenario.baseline()).filter(turn -> turn.place().again() == again));
    }

    private List<LoggedTurn> logged(Stream<Turn> turns) {
        return turns.filter(turn -> headline(turn.measurement()) > 0)
                .map(turn -> new LoggedTurn(
                        turn.place().variant().label(), turn.round(), Math.log(headline(turn.measurement()))))
                .toList();
    }

    private Stream<Turn> turns(Point point, Variant variant) {
        return turns(point, variant::equals);
    }

    private Stream<Turn> turns(Point point, Predicate<Variant> variants) {
        return measured.stream()
                .filter(turn -> turn.place().point().equals(point))
                .filter(turn -> variants.test(turn.place().variant()));
    }

    /** Returns the number of turns whose result is zero or missing. */
    private long zeros(Point point, Variant variant) {
        return turns(point, variant).count() - logged(turns(point, variant)).size();
    }

    /**
     * Returns the share of the machine that other programs took in the worst turn of the variant or the baseline. If
     * turns are shorter than a second, returns the mean of all these turns.
     */
    private double othersShare(Point point, Variant variant) {
        DoubleSummaryStatistics shares = Stream.of(variant, scenario.baseline())
                .distinct()
                .flatMap(each -> turns(point, each))
                .mapToDouble(turn -> Limit.othersShare(turn.measurement().figures()))
                .summaryStatistics();
        boolean isShort = scenario.timing().windows() * scenario.timing().millis() < LONG_TURN_MILLIS;
        return Math.max(0, isShort ? shares.getAverage() : shares.getMax());
    }

    /** Returns the stored result of {@link #othersShare(Point, Variant)}. */
    static double othersShare(VariantResult result) {
        return result.figures().getOrDefault(OTHERS, 0.0);
    }

    private VariantResult compare(
            Point point, Variant variant, List<Measurement> rounds, @Nullable TurnFit fit, @Nullable Ratio again) {
        Map<String, Double> figures = new TreeMap<>();
        Map<String, Double> waits = new TreeMap<>();
        Measurement.means(rounds).forEach((key, value) -> {
            if (key.startsWith(Measurement.WAIT)) {
                waits.put(key.substring(Measurement.WAIT.length()), value);
            } else if (Double.isFinite(value)) {
                figures.put(key, value);
            }
        });
        boolean isBaseline = variant.equals(scenario.baseline());
        Ratio ratio = isBaseline ? null : ratio(point, variant, fit);
        double others = othersShare(point, variant);
        figures.put(OTHERS, others);
        // Without a result for each turn, the ratio is biased and therefore inconclusive.
        boolean isWhole = zeros(point, variant) + zeros(point, scenario.baseline()) == 0;
        Call call = ratio == null || variant.isControl()
                ? null
                : others > Answer.MOST_OF_OTHERS ? Call.DISTURBED : Call.of(ratio, isWhole ? again : null);
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

    private @Nullable Ratio ratio(Point point, Variant variant, @Nullable TurnFit fit) {
        return fit == null
                ? null
                : fit.ratio(logged(turns(point, variant)), logged(turns(point, scenario.baseline())))
                        .map(ratio -> scenario.headline().better() == Metric.Better.LOWER ? ratio.inverse() : ratio)
                        .orElse(null);
    }

    /**
     * Returns a remark for each round trip that differs from the requested time, and for each variant with turns whose
     * result is zero or missing. A remark says if the share of other programs is unknown.
     */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (measured.stream()
                .map(turn -> turn.measurement().figures().keySet())
                .anyMatch(figures -> figures.contains("cpu.cores") && !figures.contains("cpu.others"))) {
            remarks.add(scenario.name()
                    + ": the server's processes on this machine are not visible, for example because they run in a"
                    + " container. So the share of other programs is unknown, and no comparison is called disturbed."
                    + " Trust the verdicts only if the machine was otherwise idle.");
        }
        for (Point point : scenario.points()) {
            double asked = point.rttMillis();
            double roundTrip = roundTripMillis(point);
            if (asked > 0 && Math.abs(roundTrip - asked) > INEXACT * asked) {
                remarks.add(String.format(
                        Locale.ROOT,
                        "%s, %s: a round trip took %.2f ms and not the requested %.2f ms. The proxy wakes late if the"
                                + " processors are busy, and cannot be faster than the direct path.",
                        scenario.name(),
                        point.label(),
                        roundTrip,
                        asked));
            }
            for (Variant variant : scenario.variants()) {
                long zeros = zeros(point, variant);
                if (zeros > 0) {
                    remarks.add(String.format(
                            Locale.ROOT,
                            "%s, %s: in %d of %d turns, the result of '%s' (%s) is zero or missing. Ratios with this"
                                    + " variant leave these turns out, and get no verdict.",
                            scenario.name(),
                            point.label(),
                            zeros,
                            turns(point, variant).count(),
                            variant.label(),
                            scenario.headline().title()));
                }
            }
        }
        return remarks;
    }

    private double roundTripMillis(Point point) {
        return Measurement.mean(measured.stream()
                .filter(turn -> turn.place().point().equals(point))
                .map(turn -> turn.measurement().figures().getOrDefault("net.roundTrip", 0.0))
                .toList());
    }

    private double headline(Measurement measurement) {
        return measurement.of(scenario.headline());
    }
}
