package org.rowlock.jmh.run;

import java.util.List;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/**
 * A scenario as it is to be run: its own points, variants and rhythm, or the user's.
 *
 * @param scenario which
 * @param points where
 * @param variants what is compared
 * @param rhythm how long and how often
 */
public record Selection(Scenario scenario, List<Point> points, List<String> variants, Scenario.Rhythm rhythm) {

    /** All of a scenario, as it is. */
    public static Selection of(Scenario scenario) {
        return new Selection(scenario, scenario.points(), scenario.variants(), scenario.rhythm());
    }

    /** How many forks it takes. */
    public int forks() {
        return points.size() * variants.size() * rhythm.rounds();
    }

    /** How many places in the server's lock table its largest point takes. */
    public long locks() {
        return points.stream().mapToLong(Point::locks).max().orElse(0);
    }

    /** How many connections its largest point may take at a time, with a few for the profiler and for looking on. */
    public int connections() {
        return points.stream().mapToInt(Point::connections).max().orElse(0) + 10;
    }
}
