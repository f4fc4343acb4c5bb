package org.rowlock.jmh.run;

import java.time.Duration;
import org.rowlock.jmh.scenario.Scenario;

/** Is notified how far a comparison is. Called by the thread that runs it. */
public interface Progress {
    /** A scenario begins; the number is from 1 on. */
    void scenario(Scenario scenario, int number, int of);

    /**
     * A measurement has ended well.
     *
     * @param what the variant, where and in which round
     * @param figure what it came to
     * @param left until the end of all, as far as is known
     */
    void ended(String what, String figure, Duration left);

    /** A measurement has failed, or all that is named. */
    void failed(String what, String message);
}
