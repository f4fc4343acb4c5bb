package org.rowlock.jmh.run;

import org.jspecify.annotations.Nullable;

/**
 * The verdict on a variant against the baseline, from the interval that is shown. All intervals of a page are right at
 * the same time with the probability in {@link TurnFit}. The page, the terminal and docs/results.md use the same words.
 */
public enum Call {
    /** The whole interval is better. */
    BETTER,
    /** The whole interval is worse. */
    WORSE,
    /** The whole interval is close to 1. */
    EQUIVALENT,
    /** The difference, if there is one, is smaller than this run can find. */
    INCONCLUSIVE,
    /** No verdict is possible, because other programs used more than a tenth of the machine in a turn. */
    DISTURBED;

    /** The largest ratio that is close to 1. */
    private static final double CLOSE = 1.1;

    /**
     * @param again the ratio of the baseline to itself, in the same rounds. If the two certainly differ, the order of
     *     the turns has an effect, and a difference of that size gets no verdict. Null if the ratio is not known; then
     *     nothing gets a verdict
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
