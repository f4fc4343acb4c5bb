package org.rowlock.jmh.scenario;

import java.util.Locale;

/**
 * A figure of a result.
 *
 * @param key {@link #SCORE}, or the label of one of JMH's secondary results
 */
public record Metric(String key, String title, String unit, Better better) {
    public static final String SCORE = "score";

    /** Formats a value with its unit and about three significant digits. */
    public String shown(double value) {
        int decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + decimals + "f %s", value, unit);
    }

    public enum Better {
        HIGHER,
        LOWER,
        /** The figure only describes the run. */
        NEITHER
    }
}
