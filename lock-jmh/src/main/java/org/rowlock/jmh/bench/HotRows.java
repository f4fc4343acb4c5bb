package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The published work, for scenarios that look at it from several sides: pick a row, lock it, update it three times. */
@State(Scope.Benchmark)
public abstract class HotRows extends LockWorkload {
    static final int ROWS = 100;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /** Whether the lock travels with the first update, in one round trip. */
    @Param("false")
    public boolean pipelined;

    Accounts accounts;
    Exclusion exclusion;

    @Override
    Set<Strategy> byHand() {
        return Set.of(Strategy.FOR_UPDATE, Strategy.NAIVE);
    }

    @Initializer
    void create(int rows, String storage) throws SQLException {
        accounts = Accounts.create(server, rows, storage);
        exclusion = new Exclusion(rows + 1);
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
                locking.transaction(aid, connection -> inside(lock, aid, () -> Accounts.updateThrice(connection, aid)));
            }
            return 1;
        };
    }

    /** What is done while a lock is held. */
    @FunctionalInterface
    interface Held {
        void run() throws SQLException;
    }

    /** Notes that the lock is held, works, and leaves before the commit. */
    private void inside(Latency lock, int aid, Held work) throws SQLException {
        lock.end();
        exclusion.enter(aid);
        try {
            work.run();
        } finally {
            exclusion.leave(aid);
        }
    }

    @Override
    void check() throws SQLException {
        exclusion.check();
        accounts.check();
    }

    /** For subclasses that look at the server between windows. */
    Connection monitor() throws SQLException {
        Connection connection = server.connect();
        server.closeWith(connection);
        return connection;
    }
}
