package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Something to be found out, by name.
 *
 * @param name as given to {@code --scenario}
 * @param title a line for a person
 * @param question what it finds out, what the work is, and how to read the result, in a few sentences
 * @param published where others measured the same: their setting and result with the source; empty if nobody did
 * @param benchmark the class of the benchmark
 * @param axis what the points differ in, such as {@code clients}
 * @param points where it is run unless the user says otherwise
 * @param threadsAreClients whether {@code --clients} may replace the points, one per number of threads
 * @param variants what is compared, in the order of the report
 * @param baseline the variant that ratios refer to
 * @param metrics what is read from the results; the first is the one that ratios and verdict are about
 * @param charts how it is looked at
 * @param rhythm how long and how often each variant runs
 * @param embeddedSettings what the embedded server is started with, beside the usual
 * @param needs what is special about the server; empty for any
 */
public record Scenario(
        String name,
        String title,
        String question,
        String published,
        Class<?> benchmark,
        String axis,
        List<Point> points,
        boolean threadsAreClients,
        List<String> variants,
        String baseline,
        List<Metric> metrics,
        List<Chart> charts,
        Rhythm rhythm,
        Map<String, String> embeddedSettings,
        Set<Need> needs) {

    /**
     * How long and how often.
     *
     * @param rounds how often each variant runs at each point, in turn with all others
     * @param warmupMillis before each measurement; the server's counters are read behind it, so none means no counters
     * @param iterations measurements in a row, of one fork
     * @param millis of each
     * @param singleShot whether an iteration is one call, however long it takes
     */
    public record Rhythm(int rounds, int warmupMillis, int iterations, int millis, boolean singleShot) {
        /** Three rounds of one measurement. */
        public static Rhythm throughput() {
            return new Rhythm(3, 1_500, 1, 3_000, false);
        }

        /** Seconds in a row, each a number of its own. */
        public static Rhythm timeline(int seconds) {
            return new Rhythm(1, 2_000, seconds, 1_000, false);
        }

        /** One call a round. */
        public static Rhythm single(int rounds) {
            return new Rhythm(rounds, 0, 1, 1_000, true);
        }
    }

    /** What is special about the server. */
    public enum Need {
        /** The scenario kills the server: an embedded one, or a command of the user's that does it. */
        MAY_BE_KILLED,
        /** The scenario asks no server. */
        NO_SERVER
    }

    /** The headline. */
    public Metric headline() {
        return metrics.get(0);
    }
}
