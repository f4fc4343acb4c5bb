package org.rowlock;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One statement of {@link CommitWrites}, and what it did, which is there once it is committed. Not thread-safe. */
public interface CommitWrite {
    /**
     * Has nothing committed unless each execution of the statement changes exactly one row.
     *
     * @return this
     * @see #expectRows
     */
    default CommitWrite expectOneRow() {
        return expectRows(1);
    }

    /**
     * Has nothing committed unless each execution of the statement changes as many rows. Otherwise the transaction is
     * rolled back, with an {@link UnexpectedRowCountException}. Of an INSERT, UPDATE or DELETE the server checks it, so
     * that the COMMIT can go with it. Of others (MERGE, SELECT, what begins with WITH) Rowlock does, and then the
     * COMMIT takes a round trip of its own.
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
     * @throws IllegalStateException if it is not committed, or its commit ended in a
     *     {@link CommitOutcomeUnknownException} behind which the number was not read
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
     * What all executions have returned, as by {@code RETURNING}. The transaction is committed, whatever this throws.
     *
     * @return for each row a list with a value per column, as of {@link java.sql.ResultSet#getObject(int)}
     * @throws SQLException if the driver could not read a value
     * @throws IllegalStateException as for {@link #count()}
     */
    List<List<@Nullable Object>> rows() throws SQLException;
}
