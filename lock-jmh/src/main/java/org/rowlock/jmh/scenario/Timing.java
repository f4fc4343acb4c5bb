package org.rowlock.jmh.scenario;

/**
 * The number and the length of a scenario's measurements.
 *
 * @param rounds how often each variant is measured at each point
 * @param warmupMillis the minimum warm-up before each measurement; it lasts longer while the JIT compilers are busy
 */
public record Timing(int rounds, int warmupMillis, int windows, int millis) {
    public static final Timing USUAL = new Timing(5, 2_000, 1, 3_000);

    public Timing rounds(int number) {
        return new Timing(number, warmupMillis, windows, millis);
    }

    /**
     * Returns this timing with another duration. If there are several windows, their number changes; a single window
     * changes its length.
     */
    public Timing seconds(int seconds) {
        return windows > 1
                ? new Timing(rounds, warmupMillis, Math.max(2, seconds * 1_000 / millis), millis)
                : new Timing(rounds, warmupMillis, 1, seconds * 1_000);
    }
}
