package org.rowlock;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One statement of {@link CommitWrites}. Its counts and rows are available after the commit. Not thread-safe. */
public interface CommitWrite {
    /**
     * Rolls back unless each execution of the statement changes exactly one row.
     *
     * @return this
     * @see #expectRows
     */
    default CommitWrite expectOneRow() {
        return expectRows(1);
    }

    /**
     * Rolls back, with an {@link UnexpectedRowCountException}, unless each execution of the statement changes this
     * number of rows. The server checks it for an INSERT, UPDATE or DELETE, so the COMMIT can go with it. Rowlock
     * checks it for other statements (MERGE, SELECT, WITH), and the COMMIT then takes a round trip of its own.
     *
     * @param rows how many, at least 0
     * @return this
     */
    CommitWrite expectRows(long rows);

    /**
     * Executes the same statement once more, with other values.
     *
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return this
     * @throws IllegalStateException if it is committed already
     */
    CommitWrite again(@Nullable Object... binds);

    /**
     * {@return how many rows all executions have changed, or returned, together}
     *
     * @throws IllegalStateException if it is not committed, or if its commit ended in a {@link
     *     CommitOutcomeUnknownException} before the number was read
     */
    default long count() {
        return counts().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * {@return how many rows each execution has changed, or returned}
     *
     * @throws IllegalStateException as for {@link #count()}
     */
    List<Long> counts();

    /**
     * Returns the rows of all executions, as by {@code RETURNING}. The transaction is committed, whatever this throws.
     *
     * @return for each row a list with a value per column, as of {@link java.sql.ResultSet#getObject(int)}
     * @throws SQLException if the driver could not read a value
     * @throws IllegalStateException as for {@link #count()}
     */
    List<List<@Nullable Object>> rows() throws SQLException;
}
