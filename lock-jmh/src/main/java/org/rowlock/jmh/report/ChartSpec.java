package org.rowlock.jmh.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page's script needs to draw one canvas; becomes JSON.
 *
 * @param id of the canvas
 * @param kind how to draw it
 * @param labels of the places on the axis, each in one or more lines
 * @param xs the places themselves, where they are numbers and the axis is one of numbers
 * @param xTitle of the axis
 * @param yTitle of the values
 * @param log whether the values are shown on a logarithmic scale
 * @param reference where a thin line marks the baseline
 * @param max end of the values' axis, so that neighbouring charts compare; null to let the values decide
 */
record ChartSpec(
        String id,
        Kind kind,
        List<List<String>> labels,
        @Nullable List<Double> xs,
        String xTitle,
        String yTitle,
        boolean log,
        @Nullable Double reference,
        @Nullable Double max,
        List<Series> series) {

    /** Ways to draw. */
    enum Kind {
        /** Lines with bands. */
        LINES,
        /** Bars from left to right, one per label, with whiskers. */
        BARS,
        /** Bars from the bottom up in groups, one per series. */
        GROUPS,
        /** Bars from left to right, made of the series one after the other. */
        STACKS
    }

    /**
     * A line, or the bars of one kind. With {@link Kind#BARS} there is a series per bar, of one value.
     *
     * @param color slot in the style sheet
     * @param values per label
     * @param low the least per label
     * @param high the most per label
     * @param notes more to be said per label, such as the ratio
     */
    record Series(
            String name,
            String color,
            boolean pipelined,
            boolean admission,
            List<@Nullable Double> values,
            List<@Nullable Double> low,
            List<@Nullable Double> high,
            List<String> notes) {

        static Series of(
                VariantMark mark,
                List<@Nullable Double> values,
                List<@Nullable Double> low,
                List<@Nullable Double> high,
                List<String> notes) {
            return new Series(mark.name(), mark.color(), mark.pipelined(), mark.admission(), values, low, high, notes);
        }
    }
}
