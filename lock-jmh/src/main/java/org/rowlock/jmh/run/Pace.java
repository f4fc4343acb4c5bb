package org.rowlock.jmh.run;

import java.time.Duration;
import java.util.List;
import org.rowlock.jmh.scenario.Scenario;

/** Estimates how long a comparison takes: first from its settings, then from what has passed. */
public final class Pace {
    /** A fork's JVM, its connections and tables, and their end. */
    private static final double FORK_SECONDS = 2.5;

    private final double estimatedSeconds;
    private final long started = System.nanoTime();
    private double endedSeconds;

    Pace(List<Selection> selections) {
        this.estimatedSeconds = selections.stream()
                .mapToDouble(selection -> selection.forks() * seconds(selection))
                .sum();
    }

    /** How long it will take, as far as can be told before. */
    public static Duration estimate(List<Selection> selections) {
        return seconds(new Pace(selections).estimatedSeconds);
    }

    void ended(Selection selection) {
        endedSeconds += seconds(selection);
    }

    double done() {
        return Math.min(1, endedSeconds / estimatedSeconds);
    }

    Duration left() {
        double passed = (System.nanoTime() - started) / 1e9;
        // The estimate alone at first, and more and more what has been seen.
        double perEstimated = (passed + estimatedSeconds * 0.1) / (endedSeconds + estimatedSeconds * 0.1);
        return seconds((estimatedSeconds - endedSeconds) * perEstimated);
    }

    private static double seconds(Selection selection) {
        Scenario.Rhythm rhythm = selection.rhythm();
        return FORK_SECONDS + (rhythm.warmupMillis() + (double) rhythm.iterations() * rhythm.millis()) / 1e3;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.max(0, Math.round(seconds * 1e3)));
    }
}
