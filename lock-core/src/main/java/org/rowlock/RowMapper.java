package org.rowlock;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes a value of the current row of a result.
 *
 * @param <T> the value
 */
@FunctionalInterface
public interface RowMapper<T extends @Nullable Object> {
    /**
     * Reads the current row. Must not move the result set, nor use the connection for anything else.
     *
     * @param row the result, on the row to read
     * @return the value
     * @throws SQLException if the row cannot be read; it reaches the caller as it is
     */
    T map(ResultSet row) throws SQLException;
}
