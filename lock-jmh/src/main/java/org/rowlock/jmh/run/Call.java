package org.rowlock.jmh.run;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on a variant compared with the baseline, derived from the printed confidence interval of their ratio. The
 * report and the terminal use the words of this enum, and explain them by {@link #RULES}.
 */
public enum Call {
    /** The whole interval is better by 3 percent or more. */
    BETTER,
    /** The whole interval is worse by 3 percent or more. */
    WORSE,
    /** The ratio is neither better nor worse, and the whole interval is within 10 percent of 1. */
    EQUIVALENT,
    INCONCLUSIVE,
    /**
     * No verdict is possible, because other programs used more than a tenth of the machine in a measurement of the
     * variant or the baseline. If measurements are shorter than a second, their average decides.
     */
    DISTURBED;

    private static final double CLOSE = 1.1;

    /**
     * The ratio that the whole interval must reach to be better. In two of 100 runs of the baseline against itself, the
     * interval missed the true ratio by 1 percent.
     */
    static final double SMALLEST = 1.03;

    public static final String RULES = String.format(
            Locale.ROOT,
            "With 99 %% confidence, all intervals of verdicts in this report contain the true ratio. The first rule"
                    + " that applies decides. Disturbed: other programs took more than %.0f %% of this machine, so"
                    + " nothing can be said. Better or worse: the whole interval is at least %.0f %% from 1, and"
                    + " farther than the ratio of the baseline to itself (A/A) if that ratio certainly differs from 1."
                    + " Equivalent: the whole interval is within %.0f %% of 1, whether or not it includes 1."
                    + " Inconclusive: any other interval.",
            100 * Answer.MOST_OF_OTHERS,
            100 * (SMALLEST - 1),
            100 * (CLOSE - 1));

    /**
     * @param again the ratio of the baseline's second measurements to its first. If this ratio certainly differs from
     *     1, a variant must differ by at least as much to be better or worse. With null, every comparison is
     *     inconclusive
     */
    static Call of(Ratio ratio, @Nullable Ratio again) {
        if (again != null) {
            double order = again.surely() > 1 ? Math.max(again.mean(), 1 / again.mean()) : 1;
            double least = Math.max(order, SMALLEST);
            if (ratio.low() >= least) {
                return BETTER;
            }
            if (ratio.high() <= 1 / least) {
                return WORSE;
            }
            if (ratio.reach() <= CLOSE) {
                return EQUIVALENT;
            }
        }
        return INCONCLUSIVE;
    }
}
