package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;

/**
 * A question, and how it is measured.
 *
 * @param name by which it is run
 * @param title a line
 * @param question what it asks and does; complete sentences
 * @param published where others measured the same, and what they found; may be empty
 * @param benchmark JMH's class
 * @param points where it is run
 * @param variants what is compared; the first is what ratios refer to
 * @param metrics what is shown; the first is what is compared
 * @param timing how long
 * @param settings of postgresql.conf that an embedded server gets for it
 * @param killsServer whether the server does not survive it
 */
public record Scenario(
        String name,
        String title,
        String question,
        String published,
        Class<?> benchmark,
        List<Point> points,
        List<Variant> variants,
        List<Metric> metrics,
        Timing timing,
        Map<String, String> settings,
        boolean killsServer) {

    public Scenario timed(Timing other) {
        return copy(points, variants, other);
    }

    /** Some of it. */
    public Scenario with(List<Point> otherPoints, List<Variant> otherVariants) {
        return copy(otherPoints, otherVariants, timing);
    }

    private Scenario copy(List<Point> where, List<Variant> what, Timing how) {
        return new Scenario(
                name, title, question, published, benchmark, where, what, metrics, how, settings, killsServer);
    }

    public Variant baseline() {
        return variants.get(0);
    }

    public Metric headline() {
        return metrics.get(0);
    }

    /** Whether the user may choose how many clients its points have. */
    public boolean isOverClients() {
        return points.stream().allMatch(Point::isOfClients);
    }
}
