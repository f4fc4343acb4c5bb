package org.rowlock.jmh.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.bench.Locking.Work;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Sql;
import org.rowlock.testing.RoundTripCounter;

/**
 * One client's connection, and what each of its transactions costs: time, processor time and memory of the client, and
 * round trips. For one thread, the same each time.
 */
final class Session {
    private static final int WARM_UPS = 20_000;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final BenchmarkServer server;
    private final Meter.Average time;
    private final Meter.Average cpu;
    private final Meter.Average allocated;
    private final Meter.Average roundTrips;
    private @Nullable Connection connection;

    /**
     * Runs a transaction until it is compiled, on a connection of its own, without a network between and without
     * waiting for the disk: at the pace of these a measurement would be over before, and show the compiler, most of all
     * where there is more code.
     */
    static void warmUp(BenchmarkServer server, Work work) throws SQLException {
        long begun = System.nanoTime();
        try (Connection direct = server.connectDirectly()) {
            Sql.execute(direct, "set synchronous_commit = off");
            direct.setAutoCommit(false);
            for (int i = 0; i < WARM_UPS && System.nanoTime() - begun < WARM_UP_NANOS; i++) {
                work.run(direct);
            }
        }
    }

    Session(BenchmarkServer server, Meter meter) {
        this.server = server;
        this.time = meter.average("time");
        this.cpu = meter.average("cpu");
        this.allocated = meter.average("allocated");
        this.roundTrips = meter.average("roundTrips");
    }

    /** Runs a transaction, which the work is to commit. */
    void run(Work work) throws SQLException {
        Connection own = connection;
        if (own == null) {
            own = connect();
            connection = own;
            // The first lock of a table asks the catalog for its id columns.
            work.run(own);
        }
        int trips = RoundTripCounter.counted();
        long bytes = THREADS.getCurrentThreadAllocatedBytes();
        long busy = THREADS.getCurrentThreadCpuTime();
        long begun = System.nanoTime();
        work.run(own);
        time.add(System.nanoTime() - begun, TimeUnit.MICROSECONDS.toNanos(1));
        cpu.add(THREADS.getCurrentThreadCpuTime() - busy, TimeUnit.MICROSECONDS.toNanos(1));
        allocated.add(THREADS.getCurrentThreadAllocatedBytes() - bytes, 1);
        if (RoundTripCounter.counted() > trips) {
            roundTrips.add(RoundTripCounter.counted() - trips, 1);
        }
    }

    private Connection connect() throws SQLException {
        PGSimpleDataSource dataSource = server.dataSource();
        // Not where the server's URL has a socket factory of its own.
        if (dataSource.getSocketFactory() == null) {
            dataSource.setSocketFactory(RoundTripCounter.class.getName());
        }
        Connection made = server.closeWith(dataSource.getConnection());
        made.setAutoCommit(false);
        return made;
    }
}
