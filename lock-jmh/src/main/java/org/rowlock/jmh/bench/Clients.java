package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The client threads of a workload. Clients start before the first measured window and stop after the last. JMH
 * measures the operations of the clients that {@link #add} adds. Other threads may call {@link #take} and {@link
 * #completed} while the clients run.
 */
public final class Clients {
    private static final Duration STANDSTILL = Duration.ofMinutes(3);
    private static final Duration LAST = Duration.ofMinutes(2);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final Meter meter;
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder completed = new LongAdder();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    public Clients(Meter meter) {
        this.meter = meter;
    }

    @FunctionalInterface
    public interface Operation {
        /**
         * Runs the operation, and returns the number of completed units: usually 1, several for a batch of jobs, 0 if
         * there was nothing to do.
         */
        int run() throws SQLException;
    }

    /**
     * Adds clients whose operations are measured.
     *
     * @param operation creates the operation of each client from its number, which starts at 0
     */
    public void add(String role, int count, IntFunction<Operation> operation) {
        add(role, count, operation, completed);
    }

    /** Adds clients whose rate is published under the name of the role, beside the score. */
    public void addBeside(String role, int count, IntFunction<Operation> operation) {
        add(role, count, operation, meter.count(role));
    }

    private void add(String role, int count, IntFunction<Operation> operation, LongAdder counter) {
        for (int i = 0; i < count; i++) {
            Operation own = operation.apply(i);
            Thread thread = new Thread(() -> work(own, counter), "rowlock-jmh-" + role + "-" + i);
            // The threads must not keep the JVM alive if the benchmark fails.
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    public void start() {
        threads.forEach(Thread::start);
    }

    private void work(Operation operation, LongAdder counter) {
        try {
            while (!stopped) {
                counter.add(operation.run());
            }
        } catch (Throwable e) {
            // The first failure is the cause. Other clients may fail as a consequence.
            failure.compareAndSet(null, e);
            stopped = true;
        }
    }

    public boolean haveFailed() {
        return failure.get() != null;
    }

    public long completed() {
        return completed.sum();
    }

    void forget() {
        taken.set(completed.sum());
    }

    /** Waits for one more completed operation. Each operation lets one call return. */
    void take() throws SQLException {
        long mine = taken.incrementAndGet();
        long begun = System.nanoTime();
        while (completed.sum() < mine) {
            check();
            LockSupport.parkNanos(LOOK_NANOS);
            if (System.nanoTime() - begun > STANDSTILL.toNanos()) {
                throw new IllegalStateException("No client has completed an operation for " + STANDSTILL.toMinutes()
                        + " minutes; they wait for each other, or for another session. pg_blocking_pids() shows it.");
            }
        }
    }

    void check() throws SQLException {
        Throwable first = failure.get();
        if (first instanceof SQLException sql) {
            throw sql;
        }
        if (first instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (first instanceof Error error) {
            throw error;
        }
    }

    /** Waits until each client has finished its operation, and fails if a client has failed. */
    public void stop() throws SQLException {
        stopped = true;
        long deadline = System.nanoTime() + LAST.toNanos();
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the clients were ending", e);
        }
        check();
        if (threads.stream().anyMatch(Thread::isAlive)) {
            throw new IllegalStateException(
                    "A client has not ended " + LAST.toMinutes() + " minutes after it was stopped");
        }
    }

    /** Waits with a precision of a tenth of a millisecond. {@link Thread#sleep} has a precision of a millisecond. */
    static void pause(double millis) {
        pauseUntil(System.nanoTime() + (long) (millis * 1e6));
    }

    /** Waits until {@link System#nanoTime()} reaches this value, or the thread is interrupted. */
    static void pauseUntil(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = nanoTime - System.nanoTime();
        }
    }
}
