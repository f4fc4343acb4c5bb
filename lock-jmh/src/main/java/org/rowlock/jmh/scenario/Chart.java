package org.rowlock.jmh.scenario;

/**
 * How a metric is looked at.
 *
 * @param kind the form
 * @param metric the metric's key; empty for {@link Kind#PERCENTILES}, {@link Kind#WAITS}
 * @param title above the chart
 */
public record Chart(Kind kind, String metric, String title) {
    /** The forms. */
    public enum Kind {
        /** A line per variant over the points of the axis. */
        CURVE,
        /** A group of bars per point, a bar per variant. */
        BARS,
        /** A latency's percentiles, a line per variant; the metric is the latency's name. */
        PERCENTILES,
        /** Sampled wait events, stacked, a bar per variant and point. */
        WAITS,
        /** The score of each iteration one after the other, a line per variant. */
        TIMELINE
    }
}
