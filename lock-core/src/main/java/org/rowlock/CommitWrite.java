package org.rowlock;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of {@link CommitWrites}, and what it did, which is there once it is committed. Not thread-safe.
 *
 * @param <T> the value of a row that it returns; {@link Void} where none are read
 */
public interface CommitWrite<T> {
    /**
     * Has nothing committed unless each execution of the statement changes exactly one row.
     *
     * @return this
     * @see #expectRows
     */
    default CommitWrite<T> expectOneRow() {
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
    CommitWrite<T> expectRows(long rows);

    /**
     * Executes the same statement once more, with other values.
     *
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return this
     * @throws IllegalStateException if it is committed already
     */
    CommitWrite<T> and(@Nullable Object... binds);

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
     * What the statement returned. The transaction is committed, whatever this throws.
     *
     * @return a value per row; empty where no mapper was given
     * @throws SQLException what the mapper threw; the cause of it if that was none
     * @throws IllegalStateException as for {@link #count()}
     */
    List<T> rows() throws SQLException;
}
