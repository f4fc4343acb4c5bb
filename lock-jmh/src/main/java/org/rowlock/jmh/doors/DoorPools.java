package org.rowlock.jmh.doors;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.RoundTripCounter;

/** The connections of all variants. The server closes them. Not thread-safe. */
final class DoorPools {
    private final BenchmarkServer server;
    private final int clients;
    private @Nullable DataSource shared;

    DoorPools(BenchmarkServer server, int clients) {
        this.server = server;
        this.clients = clients;
    }

    /**
     * The number of connections of all variants together. The pools are the shared pool, the pool over the drop-in with
     * groups, and three pools of 16, 8 and 4 connections.
     */
    static int connections(int clients) {
        return 2 * clients + 16 + 8 + 4;
    }

    /**
     * Returns a data source without a pool. Its connections count round trips, unless the URL names a socket factory.
     */
    PGSimpleDataSource direct() {
        PGSimpleDataSource dataSource = server.dataSource();
        if (dataSource.getSocketFactory() == null) {
            dataSource.setSocketFactory(RoundTripCounter.class.getName());
        }
        return dataSource;
    }

    /** Returns the pool that most variants share, with a connection for each client. */
    DataSource shared() {
        if (shared == null) {
            // With @RowLock, the application start needs two connections to test that locks exclude each other.
            shared = sized(Math.max(2, clients));
        }
        return shared;
    }

    DataSource sized(int size) {
        return server.pool(size, direct());
    }

    DataSource over(DataSource connections) {
        return server.pool(clients, connections);
    }

    <T extends AutoCloseable> T closing(T resource) {
        return server.closeWith(resource);
    }

    /** Fails unless the sum of the balances equals the number of raises reported as committed. */
    void checkSum(long raises) throws SQLException {
        long sum = server.numbers("select (select sum(balance) from " + Door.TABLE + ") + (select sum(balance) from "
                + Door.VERSIONED + ")")[0];
        if (sum != raises) {
            throw new InvariantViolation("the balances were raised " + raises + " times, and add up to " + sum);
        }
    }
}
