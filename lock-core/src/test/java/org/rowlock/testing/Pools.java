package org.rowlock.testing;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** The pools of tests. */
public final class Pools {
    private Pools() {}

    /** Creates a pool whose callers wait for a connection as long as a test may. */
    public static HikariDataSource of(DataSource dataSource, int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(dataSource);
        pool.setMaximumPoolSize(size);
        pool.setConnectionTimeout(TestDatabase.DEADLINE.toMillis());
        return pool;
    }
}
