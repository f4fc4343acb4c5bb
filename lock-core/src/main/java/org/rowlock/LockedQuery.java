package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query that comes with a lock, in one round trip. It runs behind the lock, and sees what the previous holder
 * committed. It does not run if the lock is refused, so it may also write ({@code UPDATE ... RETURNING}). Immutable,
 * except for values that are not.
 *
 * @param <R> the value of a row
 */
public final class LockedQuery<R> {
    private final String sql;
    private final RowMapper<R> mapper;
    private final List<@Nullable Object> binds;

    private LockedQuery(String sql, RowMapper<R> mapper, List<@Nullable Object> binds) {
        this.sql = sql;
        this.mapper = mapper;
        this.binds = binds;
    }

    /**
     * A query.
     *
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return the query
     * @throws IllegalArgumentException if an argument is null or the SQL blank
     */
    public static <R> LockedQuery<R> of(String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        if (sql == null || sql.isBlank()) {
            throw new IllegalArgumentException("The SQL of the query is " + (sql == null ? "null" : "blank")
                    + "; give one statement that returns rows");
        }
        if (mapper == null) {
            throw new IllegalArgumentException("The row mapper is null; give a function from a result row to a value");
        }
        if (binds == null) {
            throw new IllegalArgumentException("The binds are null; give a value per parameter, or none");
        }
        // Not List.of(), as a bind may be null.
        return new LockedQuery<>(sql, mapper, Arrays.asList(binds.clone()));
    }

    String sql() {
        return sql;
    }

    RowMapper<R> mapper() {
        return mapper;
    }

    List<@Nullable Object> binds() {
        return binds;
    }

    /** Its SQL, without the values. */
    @Override
    public String toString() {
        return sql;
    }
}
