package org.rowlock.examples;

import javax.sql.DataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;

/** Configures the strategy of each table by one value. */
public final class Migration {
    private Migration() {}

    /** Reads the strategy of two tables from the configuration, here system properties. */
    public static RowLocks configured(DataSource dataSource) {
        // snippet: strategies
        LockStrategy accounts = LockStrategy.valueOf(System.getProperty("locks.account", "ROW"));
        LockStrategy jobs = LockStrategy.valueOf(System.getProperty("locks.job", "BOTH"));
        RowLocks locks = RowLocks.builder(dataSource)
                .strategy("account", accounts)
                .strategy("job", jobs)
                .strategy(LockStrategy.BOTH) // every other table
                .build();
        // end
        return locks;
    }
}
