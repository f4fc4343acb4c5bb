package org.rowlock.jdbc.programs;

import org.rowlock.testing.Threads;

/** Runs the same work on several threads at once. */
public final class Concurrently {
    private Concurrently() {}

    /** The work of a thread. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /**
     * Runs the work the given number of times on each of the given number of threads. Throws what one of them throws.
     */
    public static void run(int threads, int times, Work work) throws Exception {
        Threads.run(threads, number -> {
            for (int n = 0; n < times; n++) {
                work.run();
            }
        });
    }

    /** Returns "done", or the name of the expected exception. */
    @SafeVarargs
    public static String outcome(Work work, Class<? extends Exception>... expected) throws Exception {
        try {
            work.run();
            return "done";
        } catch (Exception e) {
            for (Class<? extends Exception> one : expected) {
                if (one.isInstance(e)) {
                    return one.getSimpleName();
                }
            }
            throw e;
        }
    }

    /** Whether the work is done, or fails as expected. */
    @SafeVarargs
    public static boolean succeeds(Work work, Class<? extends Exception>... expected) throws Exception {
        return outcome(work, expected).equals("done");
    }
}
