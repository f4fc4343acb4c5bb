package org.rowlock.jmh.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.testing.RoundTripCounter;

/**
 * A variant of the benchmark transaction: one way to lock a row, read it, write it and commit. Thread-safe.
 *
 * @param pool the connection pool of the variant, also used by threads that only read
 * @param by the amount by which a change raises the balance
 */
public record Door(DataSource pool, int by, Change change) {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String CHANGES = "transaction";
    private static final String READERS = "readers";

    /**
     * All reading clients together read at most once in this time, whatever the number of clients. At full speed the
     * reads would take most of the processor time, and a variant that makes readers wait would seem to be faster.
     */
    private static final long READ_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    @FunctionalInterface
    public interface Change {
        /** Raises the balance of a row, and returns after the commit. */
        void raise(int aid) throws SQLException;
    }

    /**
     * Adds clients of this variant. A tenth of them only read.
     *
     * @param keys creates a sampler of rows for each client
     */
    public void add(Clients threads, int clients, Supplier<DiscreteSampler> keys, Meter meter) {
        Meter.Average roundTrips = meter.average("roundTrips");
        Meter.Average allocated = meter.average("allocated");
        int readers = clients / 10;
        threads.add(CHANGES, clients - readers, number -> {
            DiscreteSampler rows = keys.get();
            Latency latency = meter.latency(CHANGES);
            return () -> {
                int trips = RoundTripCounter.counted();
                long bytes = THREADS.getCurrentThreadAllocatedBytes();
                latency.begin();
                change.raise(rows.sample());
                latency.end();
                allocated.add(THREADS.getCurrentThreadAllocatedBytes() - bytes, 1);
                roundTrips.add(RoundTripCounter.counted() - trips, 1);
                return 1;
            };
        });
        threads.addBeside(READERS, readers, number -> {
            DiscreteSampler rows = keys.get();
            Latency latency = meter.latency(READERS);
            long[] due = {System.nanoTime() + number * READ_PAUSE_NANOS};
            return () -> {
                Clients.pauseUntil(due[0]);
                // A reader that was delayed does not make up for the reads that it missed.
                due[0] = Math.max(due[0], System.nanoTime() - READ_PAUSE_NANOS) + readers * READ_PAUSE_NANOS;
                latency.begin();
                read(rows.sample());
                latency.end();
                return 1;
            };
        });
    }

    private void read(int aid) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Accounts.read(connection, aid);
            connection.commit();
        }
    }
}
