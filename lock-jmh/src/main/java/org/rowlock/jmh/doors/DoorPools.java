package org.rowlock.jmh.doors;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.bench.InvariantViolation;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.testing.RoundTripCounter;

/** The connections of all doors. They are closed with the server. Not thread-safe. */
final class DoorPools {
    private final BenchmarkServer server;
    private final int clients;
    private @Nullable DataSource shared;

    DoorPools(BenchmarkServer server, int clients) {
        this.server = server;
        this.clients = clients;
    }

    /**
     * The number of connections that all doors open together: the shared pool, that of the groups, and the small ones.
     */
    static int connections(int clients) {
        return 2 * clients + 16 + 8 + 4;
    }

    /** Creates unpooled connections. They count their round trips unless the URL has a socket factory of its own. */
    PGSimpleDataSource direct() {
        PGSimpleDataSource dataSource = server.dataSource();
        if (dataSource.getSocketFactory() == null) {
            dataSource.setSocketFactory(RoundTripCounter.class.getName());
        }
        return dataSource;
    }

    /** Returns the pool that most doors share. It has a connection for each client. */
    DataSource shared() {
        if (shared == null) {
            // The start with @RowLock needs two connections, because it tests on them whether locks exclude each other.
            shared = sized(Math.max(2, clients));
        }
        return shared;
    }

    DataSource sized(int size) {
        return server.pool(size, direct());
    }

    /** Creates a pool of this size that takes its connections from this DataSource. */
    DataSource over(DataSource connections) {
        return server.pool(clients, connections);
    }

    <T extends AutoCloseable> T closing(T resource) {
        return server.closeWith(resource);
    }

    /** Fails unless the sum of the balances equals the raises that were reported as committed. */
    void checkSum(long raises) throws SQLException {
        long sum = server.numbers("select (select sum(balance) from " + Door.TABLE + ") + (select sum(balance) from "
                + Door.VERSIONED + ")")[0];
        if (sum != raises) {
            throw new InvariantViolation("the balances were raised " + raises + " times, and add up to " + sum);
        }
    }
}
