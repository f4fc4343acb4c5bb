package org.rowlock.jmh.scenario;

import org.rowlock.jmh.profile.Throughput;

/**
 * A number in a benchmark's results.
 *
 * @param key {@link #SCORE}, or the label of a secondary result: of a profiler ({@code pg.wal}, {@code lock:p0.99}), of a
 *     method of a group, or of a counter
 * @param title what it is called in the report
 * @param unit as it is shown, such as {@code tx/s}
 * @param better which way is good
 */
public record Metric(String key, String title, String unit, Better better) {
    /** The key of the benchmark's own score. */
    public static final String SCORE = "score";

    /** Which way is good. */
    public enum Better {
        HIGHER,
        LOWER,
        /** Neither; shown for information. */
        NEITHER
    }

    /** The transactions that all threads together complete per second. */
    public static Metric throughput(String title) {
        return new Metric(Throughput.NAME, title, "tx/s", Better.HIGHER);
    }

    /** A percentile of a {@link org.rowlock.jmh.profile.Latency}, such as {@code 0.99}. */
    public static Metric percentile(String latency, String percentile, String title) {
        return new Metric(latency + ":p" + percentile, title, "ms", Better.LOWER);
    }

    /** What the PostgresProfiler counts, per operation. */
    public static Metric perOperation(String counter, String title, String unit) {
        return new Metric("pg." + counter, title, unit, Better.LOWER);
    }

    /** WAL written per operation. */
    public static Metric wal() {
        return perOperation("wal", "WAL per transaction", "B");
    }

    /** MultiXacts made per operation. */
    public static Metric multixacts() {
        return perOperation("multixacts", "MultiXacts per transaction", "");
    }
}
