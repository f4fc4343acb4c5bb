package org.rowlock;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of a work that runs under locks: its connection, the rows that were read behind the locks, and the
 * writes that are sent with its COMMIT. Belongs to the thread of the work, until the work returns.
 *
 * @param <R> the value of a row that was read behind the locks or claimed; {@link Void} if nothing was
 */
public final class LockedTransaction<R extends @Nullable Object> {
    private final Connection connection;
    private final List<R> rows;
    private final List<LockKey> absentRows;
    private final CommitWrites writes = new CommitWrites();

    LockedTransaction(Connection connection, List<R> rows, List<LockKey> absentRows) {
        this.connection = connection;
        this.rows = rows;
        this.absentRows = absentRows;
    }

    /**
     * {@return the connection of the transaction} The work must not commit, roll back or close it. A rollback to a
     * savepoint of its own is fine. Writes {@link #atCommit} are refused if the work has ended the transaction. If it
     * has begun another one since, Rowlock cannot distinguish the two.
     */
    public Connection connection() {
        return connection;
    }

    /** {@return the rows that were read behind the locks, or claimed, in their order; empty if nothing was read} */
    public List<R> rows() {
        return rows;
    }

    /**
     * {@return the only row that was read behind the locks}
     *
     * @throws UnexpectedRowCountException if there is none or more than one. Nothing is stored, unless the work
     *     catches it
     */
    public R row() {
        if (rows.size() != 1) {
            throw new UnexpectedRowCountException(
                    "One row was expected behind the locks, and "
                            + (rows.isEmpty() ? "none was" : rows.size() + " were")
                            + " read. Use rows() if there may be none or several",
                    null,
                    null);
        }
        return rows.get(0);
    }

    /**
     * {@return the keys whose row Rowlock looked for and did not find} Always empty without {@link
     * LockRequest#allowAbsent}; see {@link LockResult#absentRows}.
     */
    public List<LockKey> absentRows() {
        return absentRows;
    }

    /**
     * {@return the writes that are sent with the COMMIT, to add to} They go in one flush with it, and each saves
     * a round trip under the locks. Reads of the work do not see them.
     */
    public CommitWrites atCommit() {
        return writes;
    }

    /**
     * Adds a write that is sent with the COMMIT, in one flush. Reads of the work do not see it.
     *
     * @param sql one statement, with {@code ?} for parameters; not one that begins or ends a transaction
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return the write, to set its expected rows
     */
    public CommitWrite atCommit(String sql, @Nullable Object... binds) {
        return writes.add(sql, binds);
    }

    /**
     * Work under locks that has a result.
     *
     * @param <R> the value of a row that was read behind the locks
     * @param <T> the result
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Work<R extends @Nullable Object, T extends @Nullable Object, X extends Exception> {
        /**
         * Does the work.
         *
         * @param tx the transaction
         * @return the result
         * @throws X what the caller is to see; the transaction is rolled back and nothing is stored
         */
        T apply(LockedTransaction<R> tx) throws X;
    }

    /**
     * Work under locks that has no result.
     *
     * @param <R> the value of a row that was read behind the locks
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface VoidWork<R extends @Nullable Object, X extends Exception> {
        /**
         * Does the work.
         *
         * @param tx the transaction
         * @throws X what the caller is to see; the transaction is rolled back and nothing is stored
         */
        void accept(LockedTransaction<R> tx) throws X;
    }
}
