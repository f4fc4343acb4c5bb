package org.rowlock.examples.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The clients' connections: one each, so that what they queue for is the lock and not the pool. */
final class ClientPool {
    private static final long CONNECTION_TIMEOUT_MILLIS = 15_000;

    private ClientPool() {}

    /** Opens the pool with all its connections, as connecting is not what the demo measures. */
    static HikariDataSource open(DemoServer server, int clients) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(DemoServer.APPLICATION_NAME);
        config.setDataSource(server.dataSource());
        config.setMaximumPoolSize(clients);
        config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        // Whatever the server's default is: in the stricter ones a transfer that waited would have to be run again.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        HikariDataSource pool;
        try {
            pool = new HikariDataSource(config);
        } catch (PoolInitializationException e) {
            throw DemoErrors.atStart(e, server.name());
        }
        try {
            fill(pool, clients);
            return pool;
        } catch (SQLException e) {
            pool.close();
            throw DemoErrors.atStart(e, server.name());
        }
    }

    private static void fill(HikariDataSource pool, int clients) throws SQLException {
        List<Connection> borrowed = new ArrayList<>(clients);
        try {
            for (int i = 0; i < clients; i++) {
                borrowed.add(pool.getConnection());
            }
        } finally {
            for (Connection connection : borrowed) {
                connection.close();
            }
        }
    }
}
