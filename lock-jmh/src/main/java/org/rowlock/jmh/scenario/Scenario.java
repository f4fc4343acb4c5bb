package org.rowlock.jmh.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Param;

/**
 * A question, and how it is measured.
 *
 * @param name by which it is run
 * @param title a line
 * @param question what it asks and does; complete sentences
 * @param published where others measured the same, and what they found; may be empty
 * @param text all of it, as scenarios.md has it
 * @param benchmark JMH's class
 * @param points where it is run
 * @param variants what is compared; the first is what ratios refer to
 * @param metrics what is shown; the first is what is compared
 * @param timing how long
 * @param settings of postgresql.conf that an embedded server gets for it
 * @param killsServer whether the server does not survive it
 * @param brief what is run of it if nobody says what; null for nothing
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
     * Some of a scenario.
     *
     * @param point the label of one, without a network
     * @param roundTrips of the networks, where the server is on this machine
     * @param variants their labels
     */
    public record Brief(String point, List<Double> roundTrips, List<String> variants, Timing timing) {}

    /**
     * What is run of it where nobody says what; there must be a {@link #brief}.
     *
     * @param isEmbedded whether the server is ours, on this machine, and so without a network
     * @param areAllVariants whether with all of its variants, as it was said which are wanted
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

    /** Some of it. */
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

    /** Whether the user may choose how many clients its points have. */
    public boolean isOverClients() {
        return points.stream().allMatch(Point::isOfClients);
    }
}
