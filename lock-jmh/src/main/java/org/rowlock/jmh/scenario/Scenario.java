package org.rowlock.jmh.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/**
 * A scenario: the question that it answers, and how it is measured.
 *
 * @param name the name by which it is run
 * @param title the title, in one line
 * @param question what it asks and does; complete sentences
 * @param published where others measured the same, and what they found; may be empty
 * @param text the whole section of scenarios.md
 * @param benchmark JMH's class
 * @param points the points at which it is run
 * @param variants what is compared; the first is the baseline of the ratios
 * @param metrics what is shown; the first is the compared one
 * @param timing how long it is measured
 * @param settings the settings of postgresql.conf for its embedded server
 * @param killsServer whether it kills the server
 * @param brief the part that runs if the user chooses nothing; null for none
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
     * @param point the label of its point, without a network
     * @param roundTrips the round trips of the networks, if the server is on this machine
     * @param variants the labels of its variants
     */
    public record Brief(String point, List<Double> roundTrips, List<String> variants, Timing timing) {}

    /**
     * Returns the part that runs if the user chooses nothing; there must be a {@link #brief}.
     *
     * @param isEmbedded whether the server is embedded, on this machine, and therefore without a network
     * @param areAllVariants whether to keep all variants, because the user chose which to run
     */
    public Scenario shortened(boolean isEmbedded, boolean areAllVariants) {
        Brief some = Objects.requireNonNull(brief);
        return copy(
                points.stream()
                        .filter(point -> point.over(0).label().equals(some.point()))
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

    /** Returns this scenario with other points and variants. */
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

    public Metric headline() {
        return metrics.get(0);
    }

    /** Whether its benchmark has a parameter of this name. */
    public boolean takes(String param) {
        return Arrays.stream(benchmark.getFields())
                .anyMatch(field -> field.isAnnotationPresent(Param.class)
                        && field.getName().equals(param));
    }

    /** Whether the user may choose the number of clients at its points. */
    public boolean isOverClients() {
        return points.stream().allMatch(Point::isOfClients);
    }
}
