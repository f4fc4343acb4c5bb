package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Given;

/**
 * A query that comes with a lock, in one round trip. It runs behind the lock, and sees what the previous holder
 * committed. It does not run if the lock is refused, so it may also write ({@code UPDATE ... RETURNING}). Immutable,
 * except for values that are not.
 *
 * @param sql one statement that returns rows, with {@code ?} for parameters
 * @param mapper makes a value of each row
 * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
 * @param <R> the value of a row
 */
public record LockedQuery<R>(String sql, RowMapper<R> mapper, List<@Nullable Object> binds) {
    /**
     * Checks the query.
     *
     * @param sql one statement that returns rows
     * @param mapper makes a value of each row
     * @param binds a value per parameter
     */
    public LockedQuery {
        Given.text(sql, "The SQL of the query", "one statement that returns rows");
        Given.notNull(mapper, "The row mapper is null; give a function from a result row to a value");
        // Not List.copyOf(), as a bind may be null.
        binds = Arrays.asList(Given.notNull(binds, Given.NO_BINDS).toArray());
    }

    /**
     * {@return a query}
     *
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter
     * @param <R> the value of a row
     */
    public static <R> LockedQuery<R> of(String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        return new LockedQuery<>(sql, mapper, Arrays.asList(Given.notNull(binds, Given.NO_BINDS)));
    }

    /** Its SQL, without the values. */
    @Override
    public String toString() {
        return sql;
    }
}
