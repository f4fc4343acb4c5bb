package org.rowlock;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.request.WriteResult;

/**
 * One statement of {@link CommitWrites}, and what it did, which is there once it is committed. Not thread-safe.
 *
 * @param <T> the value of a row that it returns; {@link Void} where none are read
 */
public final class CommitWrite<T> {
    private final Write<T> write;

    CommitWrite(Write<T> write) {
        this.write = write;
    }

    /**
     * Has nothing committed unless each execution of the statement changes exactly one row.
     *
     * @return this
     * @see #expectRows
     */
    public CommitWrite<T> expectOneRow() {
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
     * @throws IllegalArgumentException if the number is negative
     */
    public CommitWrite<T> expectRows(long rows) {
        write.expect(rows);
        return this;
    }

    /**
     * Executes the same statement once more, with other values.
     *
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return this
     * @throws IllegalArgumentException if the binds are null
     * @throws IllegalStateException if it is committed already
     */
    public CommitWrite<T> and(@Nullable Object... binds) {
        write.execute(binds);
        return this;
    }

    /**
     * How many rows all executions have changed, or returned, together.
     *
     * @return the number
     * @throws IllegalStateException if it is not committed, or its commit ended in a
     *     {@link CommitOutcomeUnknownException} behind which the number was not read
     */
    public long count() {
        long sum = 0;
        for (long each : counts()) {
            sum += each;
        }
        return sum;
    }

    /**
     * How many rows each execution has changed, or returned.
     *
     * @return the numbers, in their order
     * @throws IllegalStateException as for {@link #count()}
     */
    public List<Long> counts() {
        return List.copyOf(result().counts());
    }

    /**
     * What the statement returned. The transaction is committed, whatever this throws.
     *
     * @return a value per row; empty where no mapper was given
     * @throws SQLException what the mapper threw; the cause of it if that was none
     * @throws IllegalStateException as for {@link #count()}
     */
    public List<T> rows() throws SQLException {
        // Not List.copyOf(), as a mapper may give null.
        return Collections.unmodifiableList(result().rows());
    }

    private WriteResult<T> result() {
        WriteResult<T> result = write.result();
        if (result == null) {
            throw new IllegalStateException(
                    "What it did is not known: it is sent with the COMMIT, and the transaction has"
                            + " not committed. Ask afterwards: " + write.sql());
        }
        if (result.untold() != null) {
            throw new IllegalStateException(
                    "What it did is not known. " + result.untold().getMessage(), result.untold());
        }
        return result;
    }
}
