package org.rowlock.examples.start;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Runs the same work on several threads at once. */
final class Crew {
    static final int THREADS = 8;

    private Crew() {}

    /**
     * Runs work on several threads, and waits until all threads have finished.
     *
     * @param work returns the work of a thread by its number, from 0
     * @return the result of each thread, in the order of the numbers
     * @throws IllegalStateException if a thread failed
     */
    static <T> List<T> all(IntFunction<Callable<T>> work) {
        return all(THREADS, work);
    }

    /** Runs the work on this many threads. */
    static <T> List<T> all(int count, IntFunction<Callable<T>> work) {
        List<Callable<T>> calls = new ArrayList<>();
        for (int thread = 0; thread < count; thread++) {
            calls.add(work.apply(thread));
        }
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException("A thread failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }
}
