package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

public final class Jdbc {
    private Jdbc() {}

    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    public static <T> List<T> list(Connection connection, String sql, Row<T> row, Object... values)
            throws SQLException {
        List<T> rows = new ArrayList<>();
        try (PreparedStatement statement = bound(connection, sql, values);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                rows.add(row.read(result));
            }
        }
        return rows;
    }

    public static <T> T one(Connection connection, String sql, Row<T> row, Object... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values);
                ResultSet result = statement.executeQuery()) {
            if (!result.next()) {
                throw new IllegalStateException("No row: " + sql);
            }
            return row.read(result);
        }
    }

    public static long number(Connection connection, String sql, Object... values) throws SQLException {
        return one(connection, sql, row -> row.getLong(1), values);
    }

    /** Returns the first column of the first row; an empty text for null. */
    public static String text(Connection connection, String sql, Object... values) throws SQLException {
        return one(connection, sql, row -> row.getString(1) == null ? "" : row.getString(1), values);
    }

    public static long[] numbers(Connection connection, String sql, Object... values) throws SQLException {
        return one(
                connection,
                sql,
                row -> {
                    long[] numbers = new long[row.getMetaData().getColumnCount()];
                    for (int i = 0; i < numbers.length; i++) {
                        numbers[i] = row.getLong(i + 1);
                    }
                    return numbers;
                },
                values);
    }

    public static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    public static void updateOne(Connection connection, String sql, Object... values) throws SQLException {
        int updated = update(connection, sql, values);
        if (updated != 1) {
            throw new IllegalStateException("This should have changed one row, but changed " + updated + ": " + sql);
        }
    }

    public static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @FunctionalInterface
    public interface Work {
        void run(Connection connection) throws SQLException;
    }

    /** Runs the work in a transaction, which any failure rolls back. */
    public static void inTransaction(DataSource pool, Work work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            try {
                work.run(connection);
                connection.commit();
            } catch (SQLException | RuntimeException failure) {
                try {
                    connection.rollback();
                } catch (SQLException e) {
                    failure.addSuppressed(e);
                }
                throw failure;
            }
        }
    }

    public static void run(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values)) {
            statement.execute();
        }
    }

    /** Binds the values. The driver converts an {@code Integer[]} into an SQL array. */
    private static PreparedStatement bound(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
