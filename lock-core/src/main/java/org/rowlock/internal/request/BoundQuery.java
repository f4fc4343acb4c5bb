package org.rowlock.internal.request;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;
import org.rowlock.internal.text.Arguments;

/**
 * A query that is sent after a lock, in the same round trip. The query may also write. If a lock cannot be acquired,
 * the query does not run. If the row to lock does not exist, the query runs.
 */
public record BoundQuery<R extends @Nullable Object>(String sql, RowMapper<R> mapper, List<@Nullable Object> binds) {
    public BoundQuery {
        Arguments.text(sql, "The SQL of the query", "one statement that returns rows");
        Arguments.notNull(mapper, "The row mapper is null; give a function from a result row to a value");
    }

    public static <R extends @Nullable Object> BoundQuery<R> of(
            String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        return new BoundQuery<>(sql, mapper, Arguments.binds(binds));
    }

    /** Returns a query that reads one value from the first column of each row. */
    public static <R> BoundQuery<R> of(String sql, Class<R> type, @Nullable Object... binds) {
        return of(sql, firstColumn(type), binds);
    }

    @Override
    public String toString() {
        return sql;
    }

    /**
     * Returns a mapper that reads the first column as a given class. Numbers are converted between numeric types, which
     * the driver's {@code getObject} does for only a few types. The switch links only the lambda expression
     * that is used, because each of them takes time in a new JVM.
     */
    @SuppressWarnings("unchecked") // Each mapper returns values of the given class.
    private static <R> RowMapper<R> firstColumn(Class<R> type) {
        Arguments.notNull(type, "The class of the value is null; give one such as Long.class");
        RowMapper<?> mapper = switch (type.getName()) {
            case "java.lang.Long" -> row -> orNull(row.getLong(1), row);
            case "java.lang.Integer" -> row -> orNull(row.getInt(1), row);
            case "java.lang.Short" -> row -> orNull(row.getShort(1), row);
            case "java.lang.Double" -> row -> orNull(row.getDouble(1), row);
            case "java.lang.Float" -> row -> orNull(row.getFloat(1), row);
            case "java.lang.Boolean" -> row -> orNull(row.getBoolean(1), row);
            case "java.math.BigDecimal" -> row -> row.getBigDecimal(1);
            case "java.lang.String" -> row -> row.getString(1);
            case "[B" -> row -> row.getBytes(1);
            case "java.lang.Object" -> row -> row.getObject(1);
            default -> row -> row.getObject(1, type);
        };
        return (RowMapper<R>) mapper;
    }

    private static @Nullable Object orNull(Object value, ResultSet row) throws SQLException {
        return row.wasNull() ? null : value;
    }
}
