package org.rowlock.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the same work on several threads that begin together, and waits for all threads. */
public final class Threads {
    // The examples use this class without the libraries of the tests, which the deadline of TestDatabase would load.
    private static final long DEADLINE_SECONDS = 300;

    private Threads() {}

    @FunctionalInterface
    public interface Work {
        void run(int number) throws Exception;
    }

    @FunctionalInterface
    public interface Query<T> {
        T run(int number) throws Exception;
    }

    /** Runs the work on this many threads, and throws the exception of a failed thread. */
    public static void run(int threads, Work work) throws Exception {
        query(threads, number -> {
            work.run(number);
            return null;
        });
    }

    /**
     * Runs the work on this many threads, and returns the results by thread number. Throws the exception of a failed
     * thread.
     */
    public static <T> List<T> query(int threads, Query<T> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(threads);
            List<Future<T>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                all.add(pool.submit(() -> {
                    start.countDown();
                    start.await();
                    return work.run(number);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : all) {
                results.add(each.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } finally {
            pool.shutdownNow();
        }
    }

    /** Begins a call on a thread of its own. */
    public static <T> CompletableFuture<T> start(Callable<T> call) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                future.complete(call.call());
            } catch (Throwable e) {
                future.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return future;
    }
}
