package org.rowlock.jdbc.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.rowlock.testing.TestDatabase;

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
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(threads);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> {
                    start.countDown();
                    start.await();
                    for (int n = 0; n < times; n++) {
                        work.run();
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(TestDatabase.DEADLINE.toSeconds() * 5, TimeUnit.SECONDS);
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } finally {
            pool.shutdownNow();
        }
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
