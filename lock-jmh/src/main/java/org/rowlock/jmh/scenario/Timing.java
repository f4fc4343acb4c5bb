package org.rowlock.jmh.scenario;

/**
 * How long and how often a scenario is measured.
 *
 * @param rounds how often everything is measured
 * @param warmupMillis at least, before each measurement; what is not compiled by then is waited for
 * @param windows measured in a row
 * @param millis of each window
 */
public record Timing(int rounds, int warmupMillis, int windows, int millis) {
    /** What most scenarios have. */
    public static final Timing USUAL = new Timing(5, 2_000, 1, 3_000);

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
