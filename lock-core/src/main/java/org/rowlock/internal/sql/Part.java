package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write.Bound;
import org.rowlock.internal.text.Log;

/**
 * One statement of a {@link Flush}. Lock statements and the INSERTs of orInsert() are cached, so their binders and
 * readers must not contain the state of a call. Other statements of the caller are created for each call.
 *
 * @param binds the values of the caller's statement; empty if the binder reads the values from the request
 */
public record Part(String sql, Binder binder, Reader reader, List<@Nullable Object> binds) {
    private static final Binder NO_PARAMETERS = (statement, at, request) -> at;

    /** The approximate size of a statement or a value in a flush, not counting its text. */
    private static final int OVERHEAD_BYTES = 60;

    /** The packages of types whose sizes are known, and whose values can be sent again with the same effect. */
    private static final Set<String> KNOWN = Set.of("java.lang", "java.math", "java.time", "java.sql");

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

    /**
     * Returns the approximate size of a statement in a flush. If the size of a value is unknown, or if a value must not
     * be sent twice, returns a very large number.
     */
    public static long bytes(String sql, List<@Nullable Object> binds) {
        long size = sql.length();
        for (@Nullable Object bind : binds) {
            size += bytes(bind);
        }
        return OVERHEAD_BYTES + size;
    }

    private static long bytes(@Nullable Object bind) {
        long length = bind instanceof String text ? text.length() : bind instanceof byte[] array ? array.length : 0;
        boolean known = bind == null || bind instanceof byte[] || bind instanceof UUID || isKnown(bind.getClass());
        return known ? OVERHEAD_BYTES + 2 * length : Integer.MAX_VALUE;
    }

    /** Arrays are excluded, because an array has the package of its elements. */
    private static boolean isKnown(Class<?> type) {
        return !type.isArray() && KNOWN.contains(type.getPackageName());
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
            Log.debug("A statement could not be closed; it will be closed with its connection", e);
        }
    }
}
