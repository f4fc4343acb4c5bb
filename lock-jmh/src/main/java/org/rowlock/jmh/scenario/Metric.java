package org.rowlock.jmh.scenario;

/**
 * A figure of a result.
 *
 * @param key {@link #SCORE}, or the label of a secondary result of JMH's
 * @param title what it is
 * @param unit behind the number; may be empty
 * @param better which direction is good
 */
public record Metric(String key, String title, String unit, Better better) {
    /** JMH's primary result. */
    public static final String SCORE = "score";

    /** Which direction is good. */
    public enum Better {
        HIGHER,
        LOWER,
        /** It only says something about the run. */
        NEITHER
    }
}
