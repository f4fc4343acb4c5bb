package org.rowlock.jmh.cli;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.run.Answer;

/** Checks the load of the machine before a run, because no result can be judged on a busy machine. */
final class Beforehand {
    private static final long SECONDS = 3;

    private Beforehand() {}

    /** Returns a sentence about the load of other programs; none if their load is small. */
    static List<String> remarks() {
        Processors processors = Processors.ofThisMachine();
        Processors.Taken before = processors.taken();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        double share = processors.taken().since(before).othersShare();
        return share <= Answer.MOST_OF_OTHERS
                ? List.of()
                : List.of(String.format(
                        Locale.ROOT,
                        "Other programs took %.0f %% of this machine in the %d seconds before the start."
                                + " Comparisons get no verdict above a tenth. End these programs, and start again.",
                        100 * share,
                        SECONDS));
    }
}
