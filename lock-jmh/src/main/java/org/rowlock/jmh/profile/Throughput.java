package org.rowlock.jmh.profile;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How many operations all threads complete per second, counted in the middle of an iteration; published by the
 * {@link ClientProfiler} under {@value #NAME}. Thread-safe.
 *
 * <p>JMH's own score adds up a rate for each thread, over the time in which that thread ran. A thread that stood in a
 * queue when the iteration began, and gets through when the others have stopped, is so counted with a rate that it never
 * had: with hundreds of threads at a hot row the score was several times what the server committed.
 */
public final class Throughput {
    /** The label of the secondary result. */
    public static final String NAME = "throughput";

    /** Threads that get going are not the steady state. */
    private static final double BEGIN = 0.1;

    private static final LongAdder COMPLETED = new LongAdder();
    private static final ScheduledExecutorService CLOCK = clock();

    private Throughput() {}

    /** One more operation is done. */
    public static void completed() {
        COMPLETED.increment();
    }

    /** A count and its time. */
    private record Reading(long count, long nanos) {
        static Reading now() {
            return new Reading(COMPLETED.sum(), System.nanoTime());
        }
    }

    /** The part of an iteration that is counted. */
    static final class Window {
        private final AtomicReference<@Nullable Reading> begin = new AtomicReference<>();
        private final AtomicReference<@Nullable Reading> end = new AtomicReference<>();

        /** Opens a window in an iteration that begins now. */
        static Window of(long iterationNanos) {
            Window window = new Window();
            CLOCK.schedule(
                    () -> window.begin.set(Reading.now()), (long) (iterationNanos * BEGIN), TimeUnit.NANOSECONDS);
            CLOCK.schedule(() -> window.end.set(Reading.now()), iterationNanos, TimeUnit.NANOSECONDS);
            return window;
        }

        /** Operations per second; 0 if none were counted, as in a benchmark that does not. */
        double perSecond() {
            Reading first = begin.get();
            Reading last = end.get();
            if (first == null || last == null) {
                return 0;
            }
            return (last.count - first.count) * 1e9 / (last.nanos - first.nanos);
        }
    }

    private static ScheduledExecutorService clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "throughput");
            thread.setDaemon(true);
            thread.setPriority(Thread.MAX_PRIORITY);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }
}
