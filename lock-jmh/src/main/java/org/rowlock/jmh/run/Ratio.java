package org.rowlock.jmh.run;

import java.util.Locale;

/**
 * How many times as good one is as another, with the interval in which that lies with 95 % confidence.
 *
 * @param mean the geometric mean
 */
public record Ratio(double mean, double low, double high) {
    /** Such as {@code 1.62x (1.45 to 1.82)}. */
    @Override
    public String toString() {
        return digits(mean) + "x (" + digits(low) + " to " + digits(high) + ')';
    }

    /** Hundredths of hundreds mean nothing. */
    static String digits(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
    }

    /** The same for what is better when it is less. */
    Ratio inverse() {
        return new Ratio(1 / mean, 1 / high, 1 / low);
    }

    /** How far from 1 it may be, in either direction, as a ratio of at least 1. */
    double reach() {
        return Math.max(high, 1 / low);
    }

    /** How far from 1 it surely is, in either direction; 1 where it may be 1. */
    double surely() {
        return Math.max(1, Math.max(low, 1 / high));
    }
}
