package org.rowlock.jmh.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.Locale;
import org.rowlock.jmh.run.Ratio;
import org.rowlock.jmh.scenario.Metric;

/** Numbers as a person reads them: three digits that matter, thousands apart, the same in every locale. */
final class Numbers {
    private static final int DIGITS = 3;

    private Numbers() {}

    static String value(double value) {
        double size = Math.abs(value);
        if (!Double.isFinite(value)) {
            return "not a number";
        }
        if (value == 0) {
            return "0";
        }
        if (size >= 99.95) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        if (size >= 9.995) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        if (size >= 1e-6) {
            return new BigDecimal(value)
                    .round(new MathContext(DIGITS))
                    .stripTrailingZeros()
                    .toPlainString();
        }
        return String.format(Locale.ROOT, "%.0e", value);
    }

    /** With its unit, if it has one. */
    static String value(double value, Metric metric) {
        return metric.unit().isEmpty() ? value(value) : value(value) + " " + metric.unit();
    }

    static String ratio(double ratio) {
        if (ratio == 0) {
            return "0x";
        }
        if (ratio < 0.001) {
            return "under 0.001x";
        }
        if (ratio < 0.0995) {
            return String.format(Locale.ROOT, "%.3fx", ratio);
        }
        if (ratio < 9.995) {
            return String.format(Locale.ROOT, "%.2fx", ratio);
        }
        return String.format(Locale.ROOT, ratio < 99.95 ? "%,.1fx" : "%,.0fx", ratio);
    }

    /** Sessions in a wait, on average. */
    static String sessions(double sessions) {
        return sessions == 0 ? "0" : sessions < 0.05 ? "under 0.05" : String.format(Locale.ROOT, "%.1f", sessions);
    }

    /** What stands behind a ratio in parentheses. */
    static String spread(Ratio ratio, int rounds) {
        return rounds < 2 ? "one round" : ratio(ratio.least()) + " to " + ratio(ratio.most());
    }

    static String duration(Duration duration) {
        long seconds = Math.round(duration.toMillis() / 1e3);
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        return seconds / 3600 + " h " + seconds % 3600 / 60 + " min";
    }
}
