package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Statements of one row, whose parameters are whole numbers. */
final class Sql {
    private Sql() {}

    /** The number in the first column of the row. */
    static long query(Connection connection, String sql, long... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                throw new InvariantViolation("No row: " + sql);
            }
            return row.getLong(1);
        }
    }

    /** Changes one row. */
    static void update(Connection connection, String sql, long... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values)) {
            if (statement.executeUpdate() != 1) {
                throw new InvariantViolation("Not one row: " + sql);
            }
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, long... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setLong(i + 1, values[i]);
        }
        return statement;
    }
}
