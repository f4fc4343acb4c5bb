package org.rowlock.internal.sql;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write.Bound;

/**
 * One statement of a {@link Flush}. Lock statements and the INSERTs of orInsert() are cached, so their binders and
 * readers must not contain the state of a call. Other statements of the caller are created for each call.
 *
 * @param binds the values of the caller's statement; empty if the binder reads the values from the request
 */
public record Part(String sql, Binder binder, Reader reader, List<@Nullable Object> binds) {
    private static final Logger LOG = System.getLogger("org.rowlock");
    private static final Binder NO_PARAMETERS = (statement, at, request) -> at;

    public static final Reader UNREAD = (answers, statement) -> {};

    public Part(String sql, Binder binder, Reader reader) {
        this(sql, binder, reader, List.of());
    }

    public Part(String sql, Reader reader) {
        this(sql, NO_PARAMETERS, reader);
    }

    /** Returns a statement without parameters whose result is not needed. */
    public static Part control(String sql) {
        return new Part(sql, UNREAD);
    }

    @FunctionalInterface
    public interface Binder {
        /** Sets the parameters from index {@code at} on. Returns the index after the last parameter. */
        int bind(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException;
    }

    @FunctionalInterface
    public interface Reader {
        void read(Answers answers, Statement statement) throws SQLException;
    }

    /** Returns the first column of the first row of the current result, or null. */
    public static @Nullable String first(Statement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row != null && row.next() ? row.getString(1) : null;
        }
    }

    /** Whether the driver sends any of the values without a type. */
    public static boolean hasUntyped(List<@Nullable Object> binds) {
        for (@Nullable Object bind : binds) {
            if (bind == null || bind instanceof java.util.Date) {
                return true;
            }
        }
        return false;
    }

    public static int bind(PreparedStatement statement, int at, List<@Nullable Object> binds) throws SQLException {
        int index = at;
        for (@Nullable Object bind : binds) {
            if (bind instanceof Bound bound) {
                bound.set(statement, index++);
            } else {
                statement.setObject(index++, bind);
            }
        }
        return index;
    }

    /** Closes a statement. An error is ignored, because the statement has already been executed. */
    public static void close(PreparedStatement statement) {
        try {
            statement.close();
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "A statement could not be closed; it will be closed with its connection", e);
        }
    }
}
