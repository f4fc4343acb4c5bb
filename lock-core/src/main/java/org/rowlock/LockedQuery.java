package org.rowlock;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query that comes with a lock, in one round trip. It runs behind the lock, and sees what the previous holder committed.
 * Immutable, except for values that are not.
 *
 * @param sql one statement that returns rows, with {@code ?} for parameters
 * @param mapper makes a value of each row
 * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
 * @param <T> the value of a row
 */
public record LockedQuery<T>(String sql, RowMapper<T> mapper, List<@Nullable Object> binds) {
    /**
     * A query.
     *
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter
     * @param <T> the value of a row
     * @return the query
     * @throws IllegalArgumentException if the binds are null
     */
    public static <T> LockedQuery<T> of(String sql, RowMapper<T> mapper, @Nullable Object... binds) {
        if (binds == null) {
            throw new IllegalArgumentException("The binds are null; give a value per parameter, or none");
        }
        // Not List.of(), as a bind may be null.
        return new LockedQuery<>(sql, mapper, Arrays.asList(binds));
    }
}
