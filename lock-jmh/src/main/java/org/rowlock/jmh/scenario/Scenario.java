package org.rowlock.jmh.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/**
 * A scenario of {@code compare}: a question, and the benchmark runs that answer it.
 *
 * @param question the question and the measured work, as complete sentences
 * @param published published measurements that answer this question; empty if there are none
 * @param text the whole section of scenarios.md
 * @param variants the compared variants; the first variant is the baseline of the ratios
 * @param metrics the metrics in the report; the first metric decides the comparison
 * @param brief the part that runs if the user chooses no scenario; null for none
 */
public record Scenario(
        String name,
        String title,
        String question,
        String published,
        String text,
        Class<?> benchmark,
        List<Point> points,
        List<Variant> variants,
        List<Metric> metrics,
        Timing timing,
        Map<String, String> settings,
        boolean killsServer,
        @Nullable Brief brief) {

    /**
     * A part of a scenario.
     *
     * @param point the label of the point, without a round-trip time
     * @param roundTrips the round-trip times in milliseconds, used only with an embedded server
     */
    public record Brief(String point, List<Double> roundTrips, List<String> variants, Timing timing) {}

    /**
     * Returns the part that runs if the user chooses no scenario. Requires a {@link #brief}.
     *
     * @param isEmbedded whether the server is embedded
     * @param areAllVariants whether to ignore the variants of the brief, because an option selects variants
     */
    public Scenario shortened(boolean isEmbedded, boolean areAllVariants) {
        Brief some = Objects.requireNonNull(brief);
        return copy(
                points.stream()
                        .filter(point -> point.directLabel().equals(some.point()))
                        .flatMap(point -> (isEmbedded ? some.roundTrips() : List.of(0.0))
                                .stream().map(point::over))
                        .distinct()
                        .toList(),
                variants.stream()
                        .filter(variant -> areAllVariants || some.variants().contains(variant.label()))
                        .toList(),
                some.timing());
    }

    public Scenario timed(Timing other) {
        return copy(points, variants, other);
    }

    public Scenario with(List<Point> otherPoints, List<Variant> otherVariants) {
        return copy(otherPoints, otherVariants, timing);
    }

    private Scenario copy(List<Point> where, List<Variant> what, Timing how) {
        return new Scenario(
                name,
                title,
                question,
                published,
                text,
                benchmark,
                where,
                what,
                metrics,
                how,
                settings,
                killsServer,
                brief);
    }

    public Variant baseline() {
        return variants.get(0);
    }

    /** The number of ratios that get a verdict. */
    public int comparisons() {
        long compared = variants.stream()
                .filter(variant -> !variant.isControl() && !variant.equals(baseline()))
                .count();
        return points.size() * (int) compared;
    }

    public Metric headline() {
        return metrics.get(0);
    }

    public boolean takes(String param) {
        return (sharesJvm() && param.equals("zipf"))
                || Arrays.stream(benchmark.getFields())
                        .anyMatch(field -> field.isAnnotationPresent(Param.class)
                                && field.getName().equals(param));
    }

    /** Whether all variants share one JVM, which JMH does not support. */
    public boolean sharesJvm() {
        return benchmark.getSimpleName().equals("JdbcDoors");
    }

    public boolean isOverClients() {
        return points.stream().allMatch(Point::isOfClients);
    }
}
