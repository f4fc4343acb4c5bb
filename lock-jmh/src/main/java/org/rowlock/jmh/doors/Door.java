package org.rowlock.jmh.doors;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.rowlock.jmh.server.Jdbc;

/**
 * A variant of the benchmark transaction: one way to lock a row, read it, write it and commit. Thread-safe.
 *
 * @param label the name in the report
 * @param pool the connection pool of the variant, also used by threads that only read
 * @param by the amount by which a change raises the balance
 * @param change the transaction
 */
record Door(String label, DataSource pool, int by, Change change) {
    static final String TABLE = "accounts";

    static final String VERSIONED = "versioned_accounts";

    static final String READ = "select balance from " + TABLE + " where aid = ?";

    @FunctionalInterface
    interface Change {
        /** Raises the balance of a row, and returns after the commit. */
        void raise(int aid) throws SQLException;
    }

    void read(int aid) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Jdbc.number(connection, READ, aid);
            connection.commit();
        }
    }
}
