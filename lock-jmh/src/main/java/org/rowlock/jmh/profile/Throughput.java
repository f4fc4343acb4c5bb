package org.rowlock.jmh.profile;

import java.util.OptionalDouble;
import java.util.concurrent.Future;
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

    /** Of a window that opens with the first operation, a moment after JMH's own measurement has begun. */
    private static final double EARLY_END = 0.95;

    /** The window that waits for the first operation. */
    private static final AtomicReference<@Nullable Window> WAITING = new AtomicReference<>();

    private static final LongAdder COMPLETED = new LongAdder();
    private static final ScheduledExecutorService CLOCK = clock();

    private Throughput() {}

    /** One more operation is done. */
    public static void completed() {
        completed(1);
    }

    /** So much more is done, where one operation does several things that are counted. */
    public static void completed(long more) {
        COMPLETED.add(more);
        if (WAITING.get() != null) {
            Window opening = WAITING.getAndSet(null);
            if (opening != null) {
                opening.open(EARLY_END);
            }
        }
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

        private final long iterationNanos;

        private Window(long iterationNanos) {
            this.iterationNanos = iterationNanos;
        }

        /** Opens a window in an iteration that begins now. */
        static Window of(long iterationNanos) {
            WAITING.set(null);
            Window window = new Window(iterationNanos);
            window.open(1);
            return window;
        }

        /** The same where the benchmark's set-up comes before the iteration, and takes its time. */
        static Window fromFirstOperation(long iterationNanos) {
            Window window = new Window(iterationNanos);
            WAITING.set(window);
            return window;
        }

        private void open(double until) {
            Future<?> unusedBegin = CLOCK.schedule(
                    () -> begin.set(Reading.now()), (long) (iterationNanos * BEGIN), TimeUnit.NANOSECONDS);
            Future<?> unusedEnd =
                    CLOCK.schedule(() -> end.set(Reading.now()), (long) (iterationNanos * until), TimeUnit.NANOSECONDS);
        }

        /** Operations per second; empty if the benchmark does not count any, or the iteration was cut short. */
        OptionalDouble perSecond() {
            Reading first = begin.get();
            Reading last = end.get();
            if (first == null || last == null || last.count == 0) {
                return OptionalDouble.empty();
            }
            return OptionalDouble.of((last.count - first.count) * 1e9 / (last.nanos - first.nanos));
        }
    }

    private static ScheduledExecutorService clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "throughput");
            thread.setDaemon(true);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }
}
