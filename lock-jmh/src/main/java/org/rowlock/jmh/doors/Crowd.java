package org.rowlock.jmh.doors;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.jmh.bench.Clients;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.Latency;
import org.rowlock.jmh.bench.Meter;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.testing.RoundTripCounter;

/**
 * The client threads. In each slice of time, all threads use the same variant (a {@link Door}). A tenth of the threads
 * only read.
 *
 * @param clients the number of threads
 * @param rows the number of rows, from which each thread picks by a zipfian distribution; 1 for one hot row
 */
record Crowd(int clients, int rows) {
    private static final double ZIPF = 1.1;

    /**
     * All reading threads together read at most once in this time, one after the other, at every number of clients. At
     * full speed the reads would take most of the processor time, and a variant that makes readers wait would seem to
     * be faster.
     */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * How long the threads fill the queues before each slice, as a fraction of the slice. This time is not measured.
     */
    private static final double SETTLING = 0.25;

    private static final String CHANGES = "changes";
    private static final String READS = "reads";

    record Latencies(Histogram changes, Histogram reads) {
        Latencies() {
            this(new Histogram(2), new Histogram(2));
        }
    }

    /**
     * The result of one slice.
     *
     * @param perSecond the rate of completed changes within the slice
     * @param readsPerSecond the rate of reads by the threads that only read, within the slice
     * @param completed the number of completed changes, including changes before and after the slice
     * @param roundTrips the number of round trips of all completed changes
     */
    record Sliced(double perSecond, double readsPerSecond, long completed, long roundTrips, Processors.Taken taken) {}

    Sliced slice(Door door, Duration length, Latencies latencies, Processors processors) throws SQLException {
        Processors.Taken before = processors.taken();
        LongAdder roundTrips = new LongAdder();
        Meter meter = new Meter();
        Clients threads = new Clients(meter);
        int readers = clients / 10;
        threads.add(CHANGES, clients - readers, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
            Latency latency = meter.latency(CHANGES);
            return () -> {
                int trips = RoundTripCounter.counted();
                latency.begin();
                door.change().raise(keys.sample());
                latency.end();
                roundTrips.add(RoundTripCounter.counted() - trips);
                return 1;
            };
        });
        threads.addBeside(READS, readers, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
            Latency latency = meter.latency(READS);
            long[] due = {System.nanoTime() + number * READ_PAUSE_NANOS};
            return () -> {
                LockSupport.parkNanos(due[0] - System.nanoTime());
                // A reader that was delayed does not make up for the reads that it missed.
                due[0] = Math.max(due[0], System.nanoTime() - READ_PAUSE_NANOS) + readers * READ_PAUSE_NANOS;
                latency.begin();
                door.read(keys.sample());
                latency.end();
                return 1;
            };
        });
        threads.start();
        pause((long) (SETTLING * length.toNanos()), threads);
        meter.reset();
        long settled = threads.completed();
        long begun = System.nanoTime();
        pause(length.toNanos(), threads);
        double seconds = (System.nanoTime() - begun) / 1e9;
        double perSecond = (threads.completed() - settled) / seconds;
        meter.addTo(latencies.changes(), CHANGES);
        long readBefore = latencies.reads().getTotalCount();
        meter.addTo(latencies.reads(), READS);
        double readsPerSecond = (latencies.reads().getTotalCount() - readBefore) / seconds;
        threads.stop();
        return new Sliced(
                perSecond,
                readsPerSecond,
                threads.completed(),
                roundTrips.sum(),
                processors.taken().since(before));
    }

    private static void pause(long nanos, Clients threads) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !threads.haveFailed(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
