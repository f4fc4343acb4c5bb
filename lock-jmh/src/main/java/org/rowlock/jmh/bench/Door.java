package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A variant of the benchmark transaction: one way to lock a row, read it, write it and commit. Thread-safe.
 *
 * @param pool the connection pool of the variant, also used by threads that only read
 * @param by the amount by which a change raises the balance
 */
public record Door(DataSource pool, int by, Change change) {
    @FunctionalInterface
    public interface Change {
        /** Raises the balance of a row, and returns after the commit. */
        void raise(int aid) throws SQLException;
    }

    public void read(int aid) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Accounts.read(connection, aid);
            connection.commit();
        }
    }
}
