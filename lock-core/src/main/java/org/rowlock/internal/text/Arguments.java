package org.rowlock.internal.text;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Checks the arguments of API methods. */
public final class Arguments {
    private Arguments() {}

    public static <T> T notNull(@Nullable T value, String message) {
        if (value == null) {
            throw new IllegalArgumentException(message);
        }
        return value;
    }

    /**
     * Borrows a connection.
     *
     * @throws IllegalArgumentException if the DataSource returns null, for example because it is a stub
     */
    public static Connection connection(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        if (connection == null) {
            throw new IllegalArgumentException("getConnection() of the DataSource "
                    + dataSource.getClass().getName() + " returned null. Give one that returns a connection or throws"
                    + " SQLException; nothing is locked");
        }
        return connection;
    }

    /**
     * {@return a copy of the values of a statement's parameters} Unlike a copy by List.copyOf(), this copy may contain
     * null.
     */
    public static List<@Nullable Object> binds(@Nullable Object @Nullable ... values) {
        return Arrays.asList(notNull(values, "The binds are null; give a value per parameter, or none")
                .clone());
    }

    public static int positive(int value, String what) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " is " + value + "; give at least 1");
        }
        return value;
    }

    public static String text(@Nullable String value, String what, String cure) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(what + " is " + (value == null ? "null" : "blank") + "; give " + cure);
        }
        return value;
    }
}
