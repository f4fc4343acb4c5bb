package org.rowlock.jmh.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Creates pools that are full from the beginning, so that no measurement includes the opening of a connection. */
public final class FullPool {
    static {
        System.setProperty("com.zaxxer.hikari.blockUntilFilled", "true");
    }

    private FullPool() {}

    /** Creates a full pool over this DataSource, without autocommit. The caller closes the pool. */
    public static HikariDataSource of(int size, DataSource connections) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(connections);
        config.setAutoCommit(false);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        // The threads of a benchmark may wait for a connection until the iteration ends.
        config.setConnectionTimeout(600_000);
        config.setInitializationFailTimeout(30_000);
        return new HikariDataSource(config);
    }
}
