package org.rowlock;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of {@link CommitWrites}. The counts and rows of the statement are available after the commit. Not
 * thread-safe.
 */
public interface CommitWrite {
    /**
     * Requires that each execution of the statement changes exactly one row.
     *
     * @return this
     * @see #expectRows
     */
    default CommitWrite expectOneRow() {
        return expectRows(1);
    }

    /**
     * Requires that each execution of the statement changes the given number of rows. Otherwise the commit rolls back
     * and throws an {@link UnexpectedRowCountException}. The server checks the number, so the COMMIT is sent in the
     * same round trip. The statement must be an INSERT, UPDATE or DELETE, and must not begin with WITH.
     *
     * @param rows the number of rows, at least 0
     * @return this
     */
    CommitWrite expectRows(long rows);

    /**
     * {@return the total number of rows that all executions of the statement have changed or returned}
     *
     * @throws IllegalStateException if the statement is not committed, or if the commit ended in a {@link
     *     CommitOutcomeUnknownException} before the number was read
     */
    long count();

    /**
     * Returns the rows that all executions have returned, for example by a {@code RETURNING} clause. If this method
     * throws an SQLException, the transaction is nevertheless committed.
     *
     * @return for each row a list with a value per column, as {@link java.sql.ResultSet#getObject(int)} returns it
     * @throws SQLException if the driver could not read a value
     * @throws IllegalStateException in the same cases as {@link #count()}
     */
    List<List<@Nullable Object>> rows() throws SQLException;
}
