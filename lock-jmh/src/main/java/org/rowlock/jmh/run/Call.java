package org.rowlock.jmh.run;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What can be said of a variant against the baseline, with 95 % confidence in each call. */
public enum Call {
    /** All of its interval is better. */
    BETTER("%1$s is %2$sx as good as %3$s (%4$s to %5$s)"),
    /** All of its interval is worse. */
    WORSE("%1$s is worse than %3$s: %2$sx (%4$s to %5$s)"),
    /** All of its interval is close to 1. */
    EQUIVALENT("%1$s and %3$s are equivalent within %6$.0f %%"),
    /** The difference, if there is one, is smaller than what this run can find. */
    INCONCLUSIVE("%1$s against %3$s is inconclusive: %2$sx (%4$s to %5$s)");

    /** What counts as close. */
    private static final double CLOSE = 1.1;

    private final String sentence;

    Call(String sentence) {
        this.sentence = sentence;
    }

    /**
     * @param again the baseline against itself, in the same rounds. Where the two surely differ, the order of the turns counts,
     *     and no difference that small is called; null where that is not known, and nothing is called
     */
    static Call of(Ratio ratio, @Nullable Ratio again) {
        if (again != null) {
            double order = again.surely() > 1 ? Math.max(again.mean(), 1 / again.mean()) : 1;
            if (ratio.low() > order) {
                return BETTER;
            }
            if (ratio.high() < 1 / order) {
                return WORSE;
            }
            if (ratio.reach() <= CLOSE) {
                return EQUIVALENT;
            }
        }
        return INCONCLUSIVE;
    }

    /** In words. */
    String sentence(String variant, String baseline, Ratio ratio) {
        return String.format(
                Locale.ROOT,
                sentence,
                variant,
                Ratio.digits(ratio.mean()),
                baseline,
                Ratio.digits(ratio.low()),
                Ratio.digits(ratio.high()),
                Math.ceil((ratio.reach() - 1) * 100));
    }
}
