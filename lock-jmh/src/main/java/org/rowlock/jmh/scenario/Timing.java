package org.rowlock.jmh.scenario;

/**
 * How long and how often a scenario is measured.
 *
 * @param rounds how often everything is measured
 * @param warmupMillis before each measurement
 * @param windows measured in a row
 * @param millis of each window
 */
public record Timing(int rounds, int warmupMillis, int windows, int millis) {
    /** Where SQL by hand, which is soon compiled, is beside the library, which takes longer. */
    public static final Timing WARM = new Timing(4, 8_000, 1, 3_000);

    public Timing rounds(int number) {
        return new Timing(number, warmupMillis, windows, millis);
    }

    /** More time is more windows where the course is shown, and elsewhere a longer one. */
    public Timing seconds(int seconds) {
        return windows > 1
                ? new Timing(rounds, warmupMillis, Math.max(2, seconds * 1_000 / millis), millis)
                : new Timing(rounds, warmupMillis, 1, seconds * 1_000);
    }
}
