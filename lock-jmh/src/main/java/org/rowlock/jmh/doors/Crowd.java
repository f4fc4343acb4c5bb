package org.rowlock.jmh.doors;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.testing.RoundTripCounter;

/** The threads of an application, which use one door at a time. Not thread-safe. */
final class Crowd implements AutoCloseable {
    private static final double ZIPF = 1.1;
    private static final Duration STANDSTILL = Duration.ofMinutes(3);

    /** The pause between two reads, so that reading threads do not slow each other down. */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The part of the length of a slice during which the threads fill the queues, and nothing is measured yet. */
    private static final double SETTLING = 0.25;

    private final int lockers;
    private final int readers;
    private final int rows;
    private final ExecutorService threads;

    /** The common state of all threads in a slice. */
    private static final class Slice {
        final LongAdder completed = new LongAdder();
        final LongAdder inTime = new LongAdder();
        final LongAdder roundTrips = new LongAdder();
        volatile boolean counts;
        volatile boolean isOver;
    }

    /**
     * The latencies of the slices of one door. Thread-safe while a slice runs.
     *
     * @param changes how long each change took, in nanoseconds
     * @param reads how long each read of a reading thread took
     */
    record Latencies(Histogram changes, Histogram reads) {
        Latencies() {
            this(new ConcurrentHistogram(2), new ConcurrentHistogram(2));
        }
    }

    /**
     * The result of one slice.
     *
     * @param perSecond the rate of completions within the slice
     * @param completed the completions, including those before and after the slice
     * @param roundTrips the number of round trips of all these completions
     * @param taken the processor time of the slice
     */
    record Sliced(double perSecond, long completed, long roundTrips, Processors.Taken taken) {}

    /**
     * Starts the threads. A tenth of them only read.
     *
     * @param rows 1 if all threads use one row, or the number of rows to pick from by a zipfian distribution
     */
    Crowd(int clients, int rows) {
        this.readers = clients / 10;
        this.lockers = clients - readers;
        this.rows = rows;
        this.threads = Executors.newFixedThreadPool(clients, work -> {
            Thread thread = new Thread(work, "rowlock-doors");
            thread.setDaemon(true);
            return thread;
        });
    }

    Sliced slice(Door door, Duration length, Latencies latencies, Processors processors) throws SQLException {
        Slice slice = new Slice();
        Processors.Taken before = processors.taken();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < lockers; i++) {
            all.add(threads.submit(() -> lock(door, slice, latencies.changes())));
        }
        for (int i = 0; i < readers; i++) {
            all.add(threads.submit(() -> read(door, slice, latencies.reads())));
        }
        pause((long) (SETTLING * length.toNanos()), slice);
        slice.counts = true;
        long begun = System.nanoTime();
        pause(length.toNanos(), slice);
        long inTime = slice.inTime.sum();
        double seconds = (System.nanoTime() - begun) / 1e9;
        slice.isOver = true;
        for (Future<?> each : all) {
            await(each);
        }
        return new Sliced(
                inTime / seconds,
                slice.completed.sum(),
                slice.roundTrips.sum(),
                processors.taken().since(before));
    }

    /** Pauses for this long. Ends early if a thread fails. */
    private static void pause(long nanos, Slice slice) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !slice.isOver; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Void lock(Door door, Slice slice, Histogram changes) throws SQLException {
        DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
        int before = RoundTripCounter.counted();
        try {
            while (!slice.isOver) {
                boolean counts = slice.counts;
                long begun = System.nanoTime();
                door.change().raise(keys.sample());
                slice.completed.increment();
                slice.inTime.add(slice.counts ? 1 : 0);
                if (counts) {
                    changes.recordValue(System.nanoTime() - begun);
                }
            }
        } finally {
            // A thread that fails stops the others.
            slice.isOver = true;
            slice.roundTrips.add(RoundTripCounter.counted() - before);
        }
        return null;
    }

    private Void read(Door door, Slice slice, Histogram reads) throws SQLException {
        DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
        try {
            while (!slice.isOver) {
                LockSupport.parkNanos(READ_PAUSE_NANOS);
                boolean counts = slice.counts;
                long begun = System.nanoTime();
                door.read(keys.sample());
                if (counts) {
                    reads.recordValue(System.nanoTime() - begun);
                }
            }
        } finally {
            slice.isOver = true;
        }
        return null;
    }

    private static void await(Future<?> thread) throws SQLException {
        try {
            thread.get(STANDSTILL.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException sql) {
                throw sql;
            }
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new IllegalStateException("A thread has failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "A thread has not come back through its door within " + STANDSTILL.toMinutes() + " minutes", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the threads worked", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
