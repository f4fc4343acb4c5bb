package org.rowlock.internal.request;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
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
        return of(sql, ColumnValues.of(type), binds);
    }

    @Override
    public String toString() {
        return sql;
    }

    /** Mappers that read the first column as a given class. Numbers are converted between numeric types. */
    private static final class ColumnValues {
        /**
         * Readers for classes that the driver's {@code getObject} supports for only a few column types, or not at all.
         */
        private static final Map<Class<?>, RowMapper<?>> READERS = Map.of(
                Long.class, orNull(row -> row.getLong(1)),
                Integer.class, orNull(row -> row.getInt(1)),
                Short.class, orNull(row -> row.getShort(1)),
                Double.class, orNull(row -> row.getDouble(1)),
                Float.class, orNull(row -> row.getFloat(1)),
                Boolean.class, orNull(row -> row.getBoolean(1)),
                BigDecimal.class, row -> row.getBigDecimal(1),
                String.class, row -> row.getString(1),
                byte[].class, row -> row.getBytes(1),
                Object.class, row -> row.getObject(1));

        private ColumnValues() {}

        @SuppressWarnings("unchecked") // Each reader returns values of the class under which the map contains it.
        static <R> RowMapper<R> of(Class<R> type) {
            Arguments.notNull(type, "The class of the value is null; give one such as Long.class");
            RowMapper<?> reader = READERS.get(type);
            return reader == null ? row -> row.getObject(1, type) : (RowMapper<R>) reader;
        }

        private static RowMapper<@Nullable Object> orNull(RowMapper<Object> reader) {
            return row -> {
                Object value = reader.map(row);
                return row.wasNull() ? null : value;
            };
        }
    }
}
