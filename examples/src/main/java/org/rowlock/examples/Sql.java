package org.rowlock.examples;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;

/** Runs the statements of the programs, by plain JDBC. */
public final class Sql {
    private Sql() {}

    /** Runs one statement, and returns how many rows it changed. */
    public static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** Executes a statement for each entry of a map, in the order of the map. */
    public static void batch(Connection connection, String sql, Map<?, Long> values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (Map.Entry<?, Long> each : values.entrySet()) {
                statement.setObject(1, each.getKey());
                statement.setLong(2, each.getValue());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
