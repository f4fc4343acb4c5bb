package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;

/** A transaction that locks a row by SELECT ... FOR UPDATE and updates it three times. For one thread. */
final class LockedUpdate {
    private final DataSource dataSource;
    private final DiscreteSampler keys;

    LockedUpdate(DataSource dataSource, int rows, double zipf) {
        this.dataSource = dataSource;
        this.keys = Zipf.zipf(rows, zipf);
    }

    /** Runs it once, and gives the nanoseconds that the lock took. */
    long run() throws SQLException {
        int aid = keys.sample();
        try (Connection connection = dataSource.getConnection()) {
            long begun = System.nanoTime();
            Accounts.lock(connection, aid);
            long locked = System.nanoTime();
            Accounts.updateThrice(connection, aid);
            connection.commit();
            return locked - begun;
        }
    }
}
