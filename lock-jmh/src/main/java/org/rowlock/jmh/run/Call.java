package org.rowlock.jmh.run;

import org.jspecify.annotations.Nullable;

/**
 * What can be said of a variant against the baseline, by the interval that is shown. The intervals of a page hold
 * together, see {@link TurnFit}, and the page, the terminal and docs/results.md use the same words.
 */
public enum Call {
    /** All of its interval is better. */
    BETTER,
    /** All of its interval is worse. */
    WORSE,
    /** All of its interval is close to 1. */
    EQUIVALENT,
    /** The difference, if there is one, is smaller than what this run can find. */
    INCONCLUSIVE,
    /** Nothing can be said: other programs took more than a tenth of the machine in a turn. */
    DISTURBED;

    /** What counts as close. */
    private static final double CLOSE = 1.1;

    /**
     * @param again the baseline against itself, in the same rounds. Where the two surely differ, the order of the turns
     *     counts, and no difference that small is called; null where that is not known, and nothing is called
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
}
