package org.rowlock.jmh.doors;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.jmh.bench.Clients;
import org.rowlock.jmh.bench.Door;
import org.rowlock.jmh.bench.Latency;
import org.rowlock.jmh.bench.Meter;
import org.rowlock.jmh.bench.Zipf;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.testing.RoundTripCounter;

/**
 * The client threads. In each slice of time, all threads use the same variant (a {@link Door}). A tenth of the threads
 * only read.
 *
 * @param rows the number of rows, from which each thread picks by a zipfian distribution; 1 for one hot row
 */
record Crowd(int clients, int rows) {
    private static final double ZIPF = 1.1;

    /**
     * All reading threads together read at most once in this time, whatever the number of clients. At full speed the
     * reads would take most of the processor time, and a variant that makes readers wait would seem to be faster.
     */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * How long the threads fill the queues before each slice, as a fraction of the slice. This time is not measured.
     */
    private static final double SETTLING = 0.25;

    private static final String CHANGES = "transaction";
    private static final String READERS = "readers";

    /**
     * The result of one slice.
     *
     * @param completed the number of completed changes, including changes before and after the slice
     */
    record Slice(Published results, long completed) {}

    Slice slice(Door door, Duration length, Processors processors) throws SQLException {
        Meter meter = new Meter();
        Clients threads = new Clients(meter);
        Meter.Average roundTrips = meter.average("roundTrips");
        int readers = clients / 10;
        threads.add(CHANGES, clients - readers, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
            Latency latency = meter.latency(CHANGES);
            return () -> {
                int trips = RoundTripCounter.counted();
                latency.begin();
                door.change().raise(keys.sample());
                latency.end();
                roundTrips.add(RoundTripCounter.counted() - trips, 1);
                return 1;
            };
        });
        threads.addBeside(READERS, readers, number -> {
            DiscreteSampler keys = Zipf.zipf(rows, ZIPF);
            Latency latency = meter.latency(READERS);
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
        Processors.Taken before = processors.taken();
        meter.reset();
        long settled = threads.completed();
        long begun = System.nanoTime();
        pause(length.toNanos(), threads);
        double seconds = (System.nanoTime() - begun) / 1e9;
        long operations = threads.completed() - settled;
        Published results = new Published(seconds, operations / seconds);
        meter.take(results);
        processors.taken().since(before).addTo(results, operations);
        threads.stop();
        return new Slice(results, threads.completed());
    }

    private static void pause(long nanos, Clients threads) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !threads.haveFailed(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
