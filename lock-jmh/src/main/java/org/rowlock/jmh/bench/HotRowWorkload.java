package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.rowlock.jmh.server.BenchmarkServer;

/** The published work, for scenarios that look at it from several sides: pick a row, lock it, update it three times. */
@State(Scope.Benchmark)
@ByHand({Strategy.FOR_UPDATE, Strategy.NAIVE})
public abstract class HotRowWorkload extends LockWorkload {
    static final int ROWS = 100;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /** Whether the lock travels with the first update, in one round trip. */
    @Param("false")
    public boolean pipelined;

    /** Whether the row is read once, and not updated. */
    @Param("false")
    public boolean reading;

    private Exclusion exclusion;

    @Initializer
    void create(int rows, String storage) throws SQLException {
        exclusion = new Exclusion(rows + 1);
        atEnd(exclusion::check);
        atEnd(Accounts.create(server, rows, storage)::check);
    }

    /** A client of an application instance. */
    Clients.Operation client(Locking locking, DiscreteSampler keys) {
        Latency lock = meter.latency("lock");
        return () -> {
            int aid = keys.sample();
            lock.begin();
            if (pipelined) {
                locking.pipelined(
                        aid,
                        Accounts.ADD + " returning balance",
                        aid,
                        connection -> inside(lock, aid, () -> Accounts.updateTwice(connection, aid)));
            } else {
                locking.transaction(aid, connection -> inside(lock, aid, () -> work(connection, aid)));
            }
            return 1;
        };
    }

    private void work(Connection connection, int aid) throws SQLException {
        if (reading) {
            Accounts.read(connection, aid);
        } else {
            Accounts.updateThrice(connection, aid);
        }
    }

    /** Notes that the lock is held, works, and leaves before the commit. */
    private void inside(Latency lock, int aid, BenchmarkServer.Step work) throws SQLException {
        lock.end();
        exclusion.inside(aid, work);
    }
}
