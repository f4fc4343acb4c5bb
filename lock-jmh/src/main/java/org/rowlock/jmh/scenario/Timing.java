package org.rowlock.jmh.scenario;

/**
 * The number and the length of a scenario's measurements.
 *
 * @param rounds how often everything is measured
 * @param warmupMillis the shortest warm-up before each measurement; it lasts until the compilers are done
 * @param windows the number of windows, measured in a row
 * @param millis the length of each window
 */
public record Timing(int rounds, int warmupMillis, int windows, int millis) {
    /** The timing of most scenarios. */
    public static final Timing USUAL = new Timing(5, 2_000, 1, 3_000);

    public Timing rounds(int number) {
        return new Timing(number, warmupMillis, windows, millis);
    }

    /**
     * Returns this timing with another time. If the course is shown, more time gives more windows, and otherwise a
     * longer window.
     */
    public Timing seconds(int seconds) {
        return windows > 1
                ? new Timing(rounds, warmupMillis, Math.max(2, seconds * 1_000 / millis), millis)
                : new Timing(rounds, warmupMillis, 1, seconds * 1_000);
    }
}
