package org.rowlock;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.RequestParts;

/**
 * An operation under locks, in a separate transaction. No SQL runs before {@link #inTransaction}, {@link
 * #useTransaction} or {@link #execute} is called.
 *
 * <p>Each call enters the admission queues of the keys and then borrows a connection. The call then begins a
 * transaction, locks, runs the work and commits. Finally the call returns the connection and leaves the queues. A call
 * that waits in the queue of a contended key therefore holds no connection. The wait that the request allows, by
 * default forever, covers the queues and the server, but not the wait for a connection of the pool. An exception of the
 * work causes a rollback, and is thrown to the caller unwrapped.
 *
 * <p>With {@link LockStrategy#ROW} and {@link LockStrategy#BOTH}, an absent row causes a {@link RowAbsentException},
 * unless the request {@linkplain LockRequest#allowAbsent allows} absent rows.
 *
 * <p>A call inside the work of another call skips the queues, because waiting there could deadlock. The inner call
 * borrows a second connection, so nested calls can exhaust a small pool. Lock all keys in the outer call instead.
 *
 * <p>Immutable and thread-safe, unless a bound value is mutable. One operation can run any number of times.
 *
 * @see RowLocks#lock(LockRequest)
 */
public final class LockOperation implements LockedTransaction.Operation<Void> {
    private final TransactionRunner runner;
    private final DataSource dataSource;
    private final RequestParts request;

    LockOperation(TransactionRunner runner, DataSource dataSource, RequestParts request) {
        this.runner = runner;
        this.dataSource = dataSource;
        this.request = request;
    }

    /**
     * Adds a query that returns one value per row. The query runs after the locks, in the same round trip. In READ
     * COMMITTED the query takes a new snapshot, and sees the changes that the previous lock holder committed. The query
     * may also write ({@code UPDATE ... RETURNING}), because the transaction is rolled back unless the call acquires
     * the locks.
     *
     * <p>With {@link LockStrategy#ROW} and an unbounded wait, a query {@code select columns from table where id = ?}
     * for the locked row is itself the lock statement: Rowlock adds the locking clause.
     *
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param type the class of the value, which is read from the first column
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return the operation with the query
     */
    @CheckReturnValue
    public <R> LockedTransaction.Operation<R> read(String sql, Class<R> type, @Nullable Object... binds) {
        return read(BoundQuery.of(sql, type, binds));
    }

    /**
     * Adds a query that runs after the locks, as {@link #read(String, Class, Object...)} does.
     *
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper creates a value from each row
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return the operation with the query
     */
    @CheckReturnValue
    public <R> LockedTransaction.Operation<R> read(String sql, RowMapper<R> mapper, @Nullable Object... binds) {
        return read(BoundQuery.of(sql, mapper, binds));
    }

    <R> LockedTransaction.Operation<R> read(BoundQuery<R> query) {
        return new LockedTransaction.Operation<>() {
            @Override
            public <T extends @Nullable Object, X extends Exception> T inTransaction(
                    LockedTransaction.Work<R, T, X> work) throws X, SQLException {
                return runner.run(dataSource, request, query, work);
            }
        };
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T inTransaction(LockedTransaction.Work<Void, T, X> work)
            throws X, SQLException {
        return runner.run(dataSource, request, null, work);
    }

    /**
     * Locks, runs one statement and commits, all in one round trip. Use this method for work that reads nothing before
     * it writes. The server releases the locks before it answers, so no lock is held during a round trip.
     *
     * <p>If Rowlock must check the locks before the commit, the call takes more round trips, with the same outcome.
     * Requests with {@link LockRequest#orInsert}, and row locks on Citus, take one more round trip. With {@link
     * LockStrategy#BOTH} in REPEATABLE READ and SERIALIZABLE, the call takes three more round trips. {@link
     * CommitWrites} describes when the statements need more round trips.
     *
     * @param sql one statement, with {@code ?} for parameters; not one that begins or ends a transaction
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @return how many rows the statement has changed, or has returned if the statement is a query
     * @throws SQLException in the same cases as {@link #inTransaction}, which also lists the other exceptions
     */
    public long execute(String sql, @Nullable Object... binds) throws SQLException {
        CommitWrites writes = new CommitWrites();
        CommitWrite write = writes.add(sql, binds);
        execute(writes);
        return write.count();
    }

    /**
     * Locks, runs several statements and commits, in the same way as {@link #execute(String, Object...)}.
     *
     * @param writes the statements to run under the locks
     * @throws SQLException in the same cases as {@link #inTransaction}, which also lists the other exceptions
     * @throws IllegalStateException if an earlier call has or may have committed the writes; also in the same cases as
     *     {@link #inTransaction}
     */
    public void execute(CommitWrites writes) throws SQLException {
        runner.execute(dataSource, request, writes);
    }
}
