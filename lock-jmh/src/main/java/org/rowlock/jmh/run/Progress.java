package org.rowlock.jmh.run;

import java.time.Duration;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;

/** Is told how far a comparison is. Called by the thread that runs it. */
public interface Progress {
    /**
     * A scenario begins.
     *
     * @param number from 1
     */
    void scenario(Selection selection, int number, int of);

    /**
     * A fork begins.
     *
     * @param round from 1
     */
    void begins(Selection selection, Point point, String variant, int round);

    /**
     * A fork has ended well.
     *
     * @param cell the result of this round alone
     * @param round from 1
     * @param done of the whole comparison, from 0 to 1
     * @param left until its end, as far as can be told
     */
    void ended(Selection selection, Cell cell, int round, double done, Duration left);

    /** A variant has failed, and is left out from here on; or a whole scenario, with an empty variant. */
    void failed(Scenario scenario, String variant, String message);
}
