package org.rowlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;

/**
 * A connection of the drop-in whose last writes can go with the COMMIT. It is for frameworks such as an
 * object-relational mapper. They write changes at the end of a transaction, and check only whether each write has
 * changed one row.
 *
 * <p>The framework opens it directly before that flush. From then on prepared INSERTs of one row, and UPDATEs and
 * DELETEs by primary key, are kept: {@code executeUpdate} returns 1, {@code executeBatch}
 * {@link java.sql.Statement#SUCCESS_NO_INFO}. {@link Connection#commit} sends them in their order and in one flush with
 * the COMMIT, which the server refuses unless each changes exactly one row. Whatever else is done with the connection
 * before, such as a read, a savepoint or another kind of write, sends first what was kept.
 *
 * <p>If a write that was kept fails, or changes another number of rows, nothing is committed. {@code commit}, or the
 * call that sent it, throws a {@link CommitFlushException}. A commit whose connection is lost throws the
 * driver's exception, as ever.
 *
 * <p>It ends with the transaction. A rollback drops what was kept. Only with {@code flush=commit}.
 */
public interface CommitFlush {
    /**
     * Keeps writes from here until the transaction ends.
     *
     * @param checked whether the caller looks at an UPDATE or DELETE of this table, as SQL writes its name, for exactly
     *     one row. If any number of rows may be right, the write must not be kept
     * @return whether writes are kept; false where the settings, the driver's modes, or autocommit do not allow it
     * @throws SQLException if the connection is closed
     */
    boolean keepUntilCommit(Predicate<String> checked) throws SQLException;

    /**
     * The same of any connection, such as that of a pool in front of the drop-in.
     *
     * @param connection in a transaction
     * @param checked as above
     * @return whether writes are kept; false also where the connection is not the drop-in's
     * @throws SQLException if the connection is closed
     */
    static boolean open(Connection connection, Predicate<String> checked) throws SQLException {
        return connection.isWrapperFor(CommitFlush.class)
                && connection.unwrap(CommitFlush.class).keepUntilCommit(checked);
    }
}
