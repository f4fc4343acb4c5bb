package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;

/** Estimates how long a comparison takes: first from its settings, and later from its actual progress. */
public final class Pace {
    private static final double FORK_SECONDS = 2.3;

    private static final double WARM_SECONDS = 1.5;

    /** The total time of a measurement in a shared JVM, including warm-up, divided by the measured time. */
    private static final double SHARED = 2;

    private static final double NETWORK_SECONDS = 1.2;
    private static final double SECONDS_PER_CLIENT = 0.008;
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
                        * scenario.points().stream()
                                .mapToDouble(point -> seconds(scenario, point))
                                .sum())
                .sum();
    }

    private static double seconds(Scenario scenario, Point point) {
        Timing timing = scenario.timing();
        if (scenario.sharesJvm()) {
            return SHARED * timing.millis() / 1e3;
        }
        return FORK_SECONDS
                + (point.rttMillis() > 0 ? NETWORK_SECONDS : 0)
                + point.clients() * SECONDS_PER_CLIENT
                + (timing.warmupMillis() > 0 ? WARM_SECONDS : 0)
                + (timing.warmupMillis() + (double) timing.windows() * timing.millis()) / 1e3;
    }

    void ended(Scenario scenario, Point point) {
        endedSeconds += seconds(scenario, point);
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
