package org.rowlock;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Creates a value from the current row of a result.
 *
 * @param <T> the value
 */
@FunctionalInterface
public interface RowMapper<T extends @Nullable Object> {
    /**
     * Reads the current row. The mapper must neither move the result set nor use the connection.
     *
     * @param row the result, on the row to read
     * @return the value
     * @throws SQLException if the row cannot be read; the caller gets this exception
     */
    T map(ResultSet row) throws SQLException;
}
