package org.rowlock.jmh.doors;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.Answer;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.run.Results.Kind;
import org.rowlock.jmh.run.Results.PointResult;
import org.rowlock.jmh.run.Results.ScenarioResult;
import org.rowlock.jmh.run.Results.VariantResult;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Metric.Better;

/** Collects the results of all points, and converts them into the content of the report. */
final class DoorResults {
    private static final List<Metric> METRICS = List.of(
            new Metric(Metric.SCORE, "transactions", "1/s", Better.HIGHER),
            new Metric("transaction.p50", "transaction p50", "ms", Better.LOWER),
            new Metric("transaction.p99", "transaction p99", "ms", Better.LOWER),
            new Metric("readers.rate", "reads", "1/s", Better.HIGHER),
            new Metric("readers.p50", "readers p50", "ms", Better.LOWER),
            new Metric("readers.p99", "readers p99", "ms", Better.LOWER),
            new Metric("roundTrips", "round trips", "", Better.LOWER),
            new Metric("client.micros", "processor time of the client per transaction", "us", Better.LOWER),
            new Metric("server.micros", "processor time of the server per transaction", "us", Better.LOWER),
            new Metric("others", "taken by other programs", "%", Better.NEITHER));

    private final Map<String, List<PointResult>> points = new LinkedHashMap<>();
    private final Map<String, String> baselines = new LinkedHashMap<>();
    private double othersShare;

    void add(String label, double roundTripMillis, List<Measured> doors, Consumer<String> shown) {
        Map<String, List<Measured>> families = doors.stream()
                .collect(Collectors.groupingBy(Measured::family, LinkedHashMap::new, Collectors.toList()));
        families.forEach((family, all) -> {
            Measured baseline =
                    all.stream().filter(Measured::isBaseline).findFirst().orElseThrow();
            Measured again = all.stream().filter(Measured::isAgain).findFirst().orElseThrow();
            List<VariantResult> variants = new ArrayList<>();
            all.stream().filter(each -> !each.isAgain()).forEach(each -> variants.add(result(each, baseline)));
            baselines.put(family, baseline.door().label());
            points.computeIfAbsent(family, unused -> new ArrayList<>())
                    .add(new PointResult(label, roundTripMillis, again.to(baseline), null, variants));
            shown.accept(table(label, roundTripMillis, again.to(baseline), variants));
            all.forEach(each -> othersShare = Math.max(othersShare, each.taken().othersShare()));
        });
    }

    private static VariantResult result(Measured door, Measured baseline) {
        return new VariantResult(
                door.door().label(),
                door.isBaseline() ? Kind.BASELINE : Kind.VARIANT,
                door.slices().values().stream().map(Crowd.Sliced::perSecond).toList(),
                door.figures(),
                Map.of(),
                door.isBaseline() ? null : door.to(baseline),
                null,
                "",
                List.of());
    }

    private static String table(
            String label, double roundTripMillis, @Nullable Ratio again, List<VariantResult> variants) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n%s, round trip %.2f ms; the baseline against itself: %s%n",
                label,
                roundTripMillis,
                again));
        text.append(String.format(
                "  %-60s %8s  %-22s %8s %8s %9s %8s %8s %6s %9s %9s %7s%n",
                "",
                "1/s",
                "ratio (95 %)",
                "p50 ms",
                "p99 ms",
                "reads/s",
                "p50 ms",
                "p99 ms",
                "trips",
                "client us",
                "server us",
                "others"));
        for (VariantResult each : variants) {
            Map<String, Double> figures = each.figures();
            text.append(String.format(
                    Locale.ROOT,
                    "  %-60s %8.0f  %-22s %8.2f %8.2f %9s %8s %8s %6.2f %9s %9s %6.0f%%%n",
                    each.label(),
                    figures.get(Metric.SCORE),
                    each.ratio() == null ? "" : each.ratio().toString(),
                    figures.get("transaction.p50"),
                    figures.get("transaction.p99"),
                    text("%.0f", figures.get("readers.rate")),
                    text("%.2f", figures.get("readers.p50")),
                    text("%.2f", figures.get("readers.p99")),
                    figures.get("roundTrips"),
                    text("%.0f", figures.get("client.micros")),
                    text("%.0f", figures.get("server.micros")),
                    figures.get("others")));
        }
        return text.toString();
    }

    private static String text(String format, @Nullable Double figure) {
        return figure == null ? "-" : String.format(Locale.ROOT, format, figure);
    }

    List<ScenarioResult> scenarios() {
        return points.entrySet().stream()
                .map(each -> new ScenarioResult(
                        each.getKey(),
                        each.getKey().equals(Measured.JPA)
                                ? "One transaction by every variant of JPA"
                                : "One transaction by every variant",
                        "Each client picks a row, locks it, reads it, writes it and commits; a tenth of the clients"
                                + " only read. All variants share one JVM and run in short slices, in a new random"
                                + " order each round. A ratio is the geometric mean over the rounds. Its interval"
                                + " has 95 % confidence for this ratio alone.",
                        "",
                        String.valueOf(baselines.get(each.getKey())),
                        METRICS,
                        each.getValue()))
                .toList();
    }

    /** Names the best variant at each point. If other programs were busy, reports only their load. */
    String answer() {
        if (othersShare > Answer.MOST_OF_OTHERS) {
            return Answer.disturbed(othersShare);
        }
        return points.entrySet().stream()
                .flatMap(family -> family.getValue().stream()
                        .flatMap(point -> point.variants().stream()
                                .filter(each -> each.ratio() != null)
                                .max(Comparator.comparingDouble(each -> low(each.ratio())))
                                .map(best -> best.label() + ": " + best.ratio() + " of "
                                        + baselines.get(family.getKey()) + ", " + point.label())
                                .stream()))
                .collect(Collectors.joining("; ", "The best variants: ", "."));
    }

    private static double low(@Nullable Ratio ratio) {
        return ratio == null ? 0 : ratio.low();
    }
}
