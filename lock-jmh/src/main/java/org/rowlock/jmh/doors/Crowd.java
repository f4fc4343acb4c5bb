package org.rowlock.jmh.doors;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.jmh.bench.Clients;
import org.rowlock.jmh.bench.Latency;
import org.rowlock.jmh.bench.Meter;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.testing.RoundTripCounter;

/**
 * The threads of an application, which use one door at a time. A tenth of them only read.
 *
 * @param clients the number of threads
 * @param rows 1 if all threads use one row, or the number of rows to pick from by a zipfian distribution
 */
record Crowd(int clients, int rows) {
    private static final double ZIPF = 1.1;

    /** The pause between two reads, so that reading threads do not slow each other down. */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The part of the length of a slice during which the threads fill the queues, and nothing is measured yet. */
    private static final double SETTLING = 0.25;

    private static final String CHANGES = "changes";
    private static final String READS = "reads";

    /**
     * The latencies of the slices of one door.
     *
     * @param changes how long each change took, in nanoseconds
     * @param reads how long each read of a reading thread took
     */
    record Latencies(Histogram changes, Histogram reads) {
        Latencies() {
            this(new Histogram(2), new Histogram(2));
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

    Sliced slice(Door door, Duration length, Latencies latencies, Processors processors) throws SQLException {
        Processors.Taken before = processors.taken();
        LongAdder roundTrips = new LongAdder();
        Meter meter = new Meter();
        Clients threads = new Clients(meter);
        threads.add(CHANGES, clients - clients / 10, number -> {
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
        threads.addBeside(READS, clients / 10, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
            Latency latency = meter.latency(READS);
            return () -> {
                LockSupport.parkNanos(READ_PAUSE_NANOS);
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
        double perSecond = (threads.completed() - settled) / ((System.nanoTime() - begun) / 1e9);
        meter.addTo(latencies.changes(), CHANGES);
        meter.addTo(latencies.reads(), READS);
        threads.stop();
        return new Sliced(
                perSecond,
                threads.completed(),
                roundTrips.sum(),
                processors.taken().since(before));
    }

    /** Pauses for this long. Ends early if a thread fails. */
    private static void pause(long nanos, Clients threads) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !threads.haveFailed(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
