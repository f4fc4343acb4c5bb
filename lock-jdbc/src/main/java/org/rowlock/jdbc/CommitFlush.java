package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the drop-in that can send the last writes of a transaction with its COMMIT. This interface is for
 * frameworks such as object-relational mappers. Such frameworks write their changes at the end of a transaction, and
 * check only whether each write changed one row.
 *
 * <p>The framework calls {@link #open} directly before it writes. From then on Rowlock keeps prepared INSERTs of one
 * row in memory instead of sending them. Rowlock also keeps UPDATEs and DELETEs by primary key, if the framework checks
 * their counts. For a kept write, {@code executeUpdate} returns 1 and {@code executeBatch} returns {@link
 * java.sql.Statement#SUCCESS_NO_INFO}. {@link Connection#commit} sends the kept writes in order, and the COMMIT with
 * them, in one round trip; more than 100 writes take several. The server refuses the COMMIT unless each write changes
 * exactly one row. Any other use of the connection, such as a read, a savepoint or another kind of write, sends the
 * kept writes first. The call that keeps the thousandth write sends all of them. {@link java.sql.Statement#cancel} does
 * not cancel a kept write, because a cancel could also end the COMMIT's wait for a standby.
 *
 * <p>If a kept write fails, or does not change exactly one row, nothing is committed. The call that sent the write,
 * usually {@code commit}, throws a {@link CommitFlushException}, or a RuntimeException that the framework provides. The
 * caller may be a library other than the framework. If the connection is lost, or the COMMIT itself fails because of a
 * deferred constraint, {@code commit} throws the driver's exception.
 *
 * <p>Rowlock stops keeping writes when the transaction ends, and when {@code unwrap} returns an object of the driver.
 * Statements of a driver's object that {@code unwrap} returned earlier, such as a CopyManager, run before kept writes.
 * A rollback drops the kept writes, even if the rollback fails. The setting {@code flushWithCommit} is required.
 */
public interface CommitFlush {
    /**
     * From now on, keeps writes until the transaction ends.
     *
     * @param checked whether the caller checks that an UPDATE or DELETE of the given table changes exactly one row. The
     *     name of the table is written as in SQL. The function must return false for a table in which a correct UPDATE
     *     or DELETE may change no row, or several rows
     * @param thrown returns the exception of the framework that is thrown for the failure of a kept write; null if the
     *     {@link CommitFlushException} itself is thrown
     * @return whether writes are kept; false if the settings, the driver's query mode or the state of the connection do
     *     not allow Rowlock to keep writes
     * @throws SQLException if the driver reports an error, for example because the connection is closed
     */
    boolean keepUntilCommit(
            Predicate<String> checked, @Nullable Function<CommitFlushException, RuntimeException> thrown)
            throws SQLException;

    /**
     * Calls {@link #keepUntilCommit} on the drop-in's connection, even if a pool wraps that connection. The failure of
     * a kept write is thrown as a {@link CommitFlushException}.
     *
     * @param connection a connection that is not in autocommit
     * @param checked as in {@link #keepUntilCommit}
     * @return whether writes are kept; false also if the drop-in did not create the connection
     * @throws SQLException if the connection is closed
     */
    static boolean open(Connection connection, Predicate<String> checked) throws SQLException {
        return connection.isWrapperFor(CommitFlush.class)
                && connection.unwrap(CommitFlush.class).keepUntilCommit(checked, null);
    }
}
