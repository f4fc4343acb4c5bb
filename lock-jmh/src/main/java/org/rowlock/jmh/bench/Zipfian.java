package org.rowlock.jmh.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.List;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.testing.RoundTripCounter;

/**
 * The workload of the published measurements that scenarios.md quotes. Each transaction picks a row by zipf(1..100, s =
 * 1.1), locks the row, updates it three times, and commits. With {@link #reading}, a transaction only locks and reads
 * the row.
 */
public class Zipfian extends LockWorkload {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Param("90")
    public int clients;

    @Param("100")
    public int rows;

    @Param("1.1")
    public double zipf;

    /** Whether the transaction only locks and reads the row, if possible in one round trip. */
    @Param("false")
    public boolean reading;

    String storage() {
        return Accounts.ROOMY;
    }

    void committed() {}

    @Override
    void prepare() throws SQLException {
        Exclusion exclusion = new Exclusion(rows + 1);
        atEnd(exclusion::check);
        atEnd(Accounts.create(server, rows, storage())::check);
        Locking locking = locking(server.pool(clients), Accounts.TABLE, Accounts.ID);
        if (strategy != Strategy.SELECT) {
            atEnd(() -> checkExcludes(locking, List.of(1), RowLockMode.FOR_UPDATE));
        }
        Meter.Average allocated = meter.average("allocated");
        Meter.Average roundTrips = meter.average("roundTrips");
        threads.add("client", clients, number -> {
            Latency lock = meter.latency("lock");
            DiscreteSampler keys = Zipf.zipf(rows, zipf);
            return () -> {
                int aid = keys.sample();
                int trips = RoundTripCounter.counted();
                long bytes = THREADS.getCurrentThreadAllocatedBytes();
                lock.begin();
                if (reading) {
                    read(locking, aid, lock, exclusion);
                } else {
                    locking.transaction(aid, connection -> {
                        lock.end();
                        exclusion.inside(aid, () -> Accounts.updateThrice(connection, aid));
                    });
                }
                allocated.add(THREADS.getCurrentThreadAllocatedBytes() - bytes, 1);
                roundTrips.add(RoundTripCounter.counted() - trips, 1);
                committed();
                return 1;
            };
        });
    }

    private void read(Locking locking, int aid, Latency lock, Exclusion exclusion) throws SQLException {
        BenchmarkServer.Step transaction = () -> Jdbc.inTransaction(locking.pool(), connection -> {
            locking.lockAndRead(connection, aid);
            lock.end();
            if (strategy != Strategy.SELECT) {
                exclusion.inside(aid, () -> {});
            }
        });
        if (admission) {
            locking.admitted(List.of(locking.key(aid)), RowLockMode.FOR_UPDATE, transaction);
        } else {
            transaction.run();
        }
    }
}
