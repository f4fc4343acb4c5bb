package org.rowlock.internal.request;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowMapper;
import org.rowlock.internal.text.Arguments;

/** A query that is sent with a lock, in one round trip. It runs only if the lock is acquired, so it may also write. */
public record BoundQuery<R extends @Nullable Object>(String sql, RowMapper<R> mapper, List<@Nullable Object> binds) {
    public BoundQuery {
        Arguments.text(sql, "The SQL of the query", "one statement that returns rows");
        Arguments.notNull(mapper, "The row mapper is null; give a function from a result row to a value");
        // List.copyOf() is not used, because a bind may be null.
        binds = Arrays.asList(Arguments.notNull(binds, Arguments.NO_BINDS).toArray());
    }

    public static <R extends @Nullable Object> BoundQuery<R> of(
            String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        return new BoundQuery<>(sql, mapper, Arrays.asList(Arguments.notNull(binds, Arguments.NO_BINDS)));
    }

    /** A query for one value, in the first column of each row. */
    public static <R> BoundQuery<R> of(String sql, Class<R> type, @Nullable Object... binds) {
        return of(sql, ColumnValues.of(type), binds);
    }

    /** {@return the SQL, without the values} */
    @Override
    public String toString() {
        return sql;
    }
}
