package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;

/** A transaction that locks a row by SELECT ... FOR UPDATE and updates it three times. For one thread. */
final class LockedUpdate {
    private static final String LOCK = "select balance from " + Accounts.TABLE + " where aid = ? for update";

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
            lock(connection, aid);
            long locked = System.nanoTime();
            Accounts.updateThrice(connection, aid);
            connection.commit();
            return locked - begun;
        }
    }

    private static void lock(Connection connection, int aid) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(LOCK)) {
            select.setInt(1, aid);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new InvariantViolation("account " + aid + " is gone");
                }
            }
        }
    }
}
