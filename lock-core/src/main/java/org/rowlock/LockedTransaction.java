package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Arguments;

/**
 * The transaction in which work runs under locks: its connection, the rows that were read under the locks, and the
 * writes that are sent with its COMMIT. Use this object only on the thread of the work, and only until the work
 * returns.
 *
 * @param <R> the value of a row that was read under the locks or claimed; {@link Void} if nothing was read
 */
public final class LockedTransaction<R extends @Nullable Object> {
    private final Connection connection;
    private final List<R> rows;
    private final CommitWrites writes = new CommitWrites();

    LockedTransaction(Connection connection, List<R> rows) {
        this.connection = connection;
        this.rows = rows;
    }

    /**
     * {@return the connection of the transaction} The work must not commit, roll back or close the connection, but may
     * roll back to its own savepoints. If the work has ended the transaction, Rowlock refuses the writes of {@link
     * #atCommit}. Rowlock cannot detect the end of the transaction if the work has begun another transaction
     * afterwards.
     */
    public Connection connection() {
        return connection;
    }

    /** {@return the rows that were read under the locks, or claimed, in their order; empty if nothing was read} */
    public List<R> rows() {
        return rows;
    }

    /**
     * {@return the only row that was read under the locks}
     *
     * @throws UnexpectedRowCountException if there is no row or more than one row. Nothing is stored, unless the work
     *     catches the exception
     */
    public R row() {
        if (rows.size() != 1) {
            throw new UnexpectedRowCountException(
                    "One row was expected under the locks, but "
                            + (rows.isEmpty() ? "none was" : rows.size() + " were")
                            + " read. Use rows() if there may be no row or several",
                    null,
                    null);
        }
        return rows.get(0);
    }

    /**
     * {@return the writes that are sent with the COMMIT} The work can add writes to this object. Each write saves a
     * round trip under the locks; see {@link CommitWrites}. Queries of the work do not see the changes of these writes.
     */
    public CommitWrites atCommit() {
        return writes;
    }

    /**
     * Adds a write that is sent with the COMMIT, in the same round trip. Queries of the work do not see the changes of
     * this write.
     *
     * @param sql one statement, with {@code ?} for parameters; not one that begins or ends a transaction
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return the write; use it to set the expected number of rows
     */
    public CommitWrite atCommit(String sql, @Nullable Object... binds) {
        return writes.add(sql, binds);
    }

    /**
     * An operation under locks, in a separate transaction. No SQL runs before {@link #inTransaction} or {@link
     * #useTransaction} is called. Immutable and thread-safe, unless a bound value is mutable. Only Rowlock implements
     * this interface; later versions may add methods to it.
     *
     * @param <R> the value of a row that is read under the locks or claimed; {@link Void} if nothing is read
     * @see RowLocks#lock(LockRequest)
     * @see RowLocks#claim(Claim, RowMapper)
     */
    public interface Operation<R extends @Nullable Object> {
        /**
         * Runs work in a separate transaction that holds the locks. The {@linkplain LockedTransaction#atCommit writes}
         * that the work adds are sent with the COMMIT, in one round trip.
         *
         * @param work the work to do under the locks; must not commit
         * @param <T> the type of the result
         * @param <X> the type of exception that the work may throw
         * @return the result of the work
         * @throws X the exception of the work. Nothing is stored
         * @throws SQLException if no connection can be obtained, or if the query after the locks, a write, the commit
         *     or the INSERT of {@link LockRequest#orInsert} fails. Nothing is stored
         * @throws UnexpectedRowCountException if a write does not change as many rows as expected. Nothing is stored
         * @throws CommitOutcomeUnknownException if it is unknown whether the transaction has committed, or whether the
         *     transaction is durable
         * @throws RowlockException if the locks cannot be acquired, or if the work returned although a failed statement
         *     had aborted the transaction. Nothing is stored
         * @throws IllegalArgumentException if a write cannot be sent with a commit; see {@link TransactionLocks#commit}
         * @throws IllegalStateException if an outer call of this thread holds one of the keys, because the thread would
         *     then wait for itself
         */
        <T extends @Nullable Object, X extends Exception> T inTransaction(Work<R, T, X> work) throws X, SQLException;

        /**
         * Runs work that has no result, in the same way as {@link #inTransaction}.
         *
         * @param work the work to do under the locks; must not commit
         * @param <X> the type of exception that the work may throw
         * @throws X the exception of the work. Nothing is stored
         * @throws SQLException in the same cases as {@link #inTransaction}, which also lists the other exceptions
         */
        default <X extends Exception> void useTransaction(VoidWork<R, X> work) throws X, SQLException {
            Arguments.notNull(work, "The work is null");
            inTransaction(tx -> {
                work.accept(tx);
                return null;
            });
        }
    }

    /**
     * Work under locks that has a result.
     *
     * @param <R> the value of a row that was read under the locks
     * @param <T> the result
     * @param <X> the exception that the work may throw
     */
    @FunctionalInterface
    public interface Work<R extends @Nullable Object, T extends @Nullable Object, X extends Exception> {
        /**
         * Does the work.
         *
         * @param tx the transaction
         * @return the result
         * @throws X the exception for the caller; the transaction is rolled back and nothing is stored
         */
        T apply(LockedTransaction<R> tx) throws X;
    }

    /**
     * Work under locks that has no result.
     *
     * @param <R> the value of a row that was read under the locks
     * @param <X> the exception that the work may throw
     */
    @FunctionalInterface
    public interface VoidWork<R extends @Nullable Object, X extends Exception> {
        /**
         * Does the work.
         *
         * @param tx the transaction
         * @throws X the exception for the caller; the transaction is rolled back and nothing is stored
         */
        void accept(LockedTransaction<R> tx) throws X;
    }
}
