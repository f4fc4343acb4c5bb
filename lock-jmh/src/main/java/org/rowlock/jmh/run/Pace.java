package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;

/** Estimates how long a comparison takes: first from its settings, and later from its actual progress. */
public final class Pace {
    /** The time that a turn needs for a new JVM, its connections and the JIT compilers. */
    private static final double FORK_SECONDS = 5;

    /** The total time of a measurement in a shared JVM, including warm-up, divided by the measured time. */
    private static final double SHARED = 2;

    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;

    private final long started = System.nanoTime();
    private final double estimatedSeconds;
    private double endedSeconds;

    Pace(List<Scenario> scenarios) {
        this.estimatedSeconds = seconds(scenarios);
    }

    public static Duration estimate(List<Scenario> scenarios) {
        return duration(seconds(scenarios));
    }

    /** Formats a duration, such as {@code 40 s}, {@code 8 min} or {@code 2 h 10 min}. */
    public static String text(Duration duration) {
        long seconds = Math.round(duration.toMillis() / 1e3);
        long minutes = Math.round((double) seconds / MINUTE);
        return seconds < 2 * MINUTE
                ? seconds + " s"
                : seconds < 2 * HOUR ? minutes + " min" : minutes / MINUTE + " h " + minutes % MINUTE + " min";
    }

    private static double seconds(List<Scenario> scenarios) {
        return scenarios.stream()
                .mapToDouble(scenario -> scenario.timing().rounds()
                        * (1 + scenario.variants().size())
                        * scenario.points().size()
                        * turnSeconds(scenario))
                .sum();
    }

    private static double turnSeconds(Scenario scenario) {
        Timing timing = scenario.timing();
        return scenario.sharesJvm()
                ? SHARED * timing.millis() / 1e3
                : FORK_SECONDS + (timing.warmupMillis() + (double) timing.windows() * timing.millis()) / 1e3;
    }

    void ended(Scenario scenario) {
        endedSeconds += turnSeconds(scenario);
    }

    /** Estimates the time left. Requires at least one finished measurement. */
    Duration left() {
        double seconds = (System.nanoTime() - started) / 1e9;
        return duration((estimatedSeconds - endedSeconds) * seconds / endedSeconds);
    }

    private static Duration duration(double seconds) {
        return Duration.ofMillis(Math.max(0, Math.round(seconds * 1e3)));
    }
}
