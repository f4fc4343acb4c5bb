package org.rowlock.jmh.run;

import java.util.Locale;

/**
 * The ratio of one value to another, with its confidence interval. A ratio above 1 is better.
 *
 * @param mean the geometric mean
 */
public record Ratio(double mean, double low, double high) {
    /** Formats the ratio, such as {@code 1.62x (1.45 to 1.82)}. */
    @Override
    public String toString() {
        return digits(mean) + "x (" + digits(low) + " to " + digits(high) + ')';
    }

    /** Formats a value with two decimals below 100, and none above. */
    static String digits(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }

    /** Returns the inverse, for a metric for which lower is better. */
    Ratio inverse() {
        return new Ratio(1 / mean, 1 / high, 1 / low);
    }

    /** The interval's bound that is farthest from 1, as a ratio of at least 1. */
    double reach() {
        return Math.max(high, 1 / low);
    }

    /** The interval's bound that is closest to 1, as a ratio of at least 1; 1 if the interval includes 1. */
    double surely() {
        return Math.max(1, Math.max(low, 1 / high));
    }
}
