package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.LockCall;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;

/**
 * Acquires locks in the caller's transaction. The locks are held until the transaction commits, rolls back, or rolls
 * back to a savepoint that is older than the lock. There is no method to unlock, and no lock outlasts the transaction.
 *
 * <p>Every method that locks needs a connection that is open, read-write, not in autocommit, and not in an aborted
 * transaction. Otherwise the method throws a {@link LockTransactionException}, or a {@link LockConnectionLostException}
 * if the server is a hot standby or {@code default_transaction_read_only} is on.
 *
 * <p>In READ COMMITTED a read after the lock sees all changes that the previous lock holder committed. In REPEATABLE
 * READ and SERIALIZABLE the snapshot may be older than the lock. With {@link LockStrategy#ROW} and {@link
 * LockStrategy#BOTH} PostgreSQL then raises 40001 if the locked row has changed after the snapshot; PostgreSQL does not
 * check other rows. At these levels, Rowlock refuses names, numbers, and rows whose strategy is {@link
 * LockStrategy#ADVISORY} (SQLSTATE 25001). With {@code BOTH}, Rowlock also refuses to lock a row that is missing in the
 * snapshot.
 *
 * <p>Two transactions deadlock if both hold shared locks on a key and then both request an exclusive lock on that key.
 * Row locks behave in the same way.
 *
 * <p>Not thread-safe, because the connection is not.
 */
public final class TransactionLocks {
    private final Connection connection;
    private final LockCalls calls;

    TransactionLocks(Connection connection, LockCalls calls) {
        this.connection = connection;
        this.calls = calls;
    }

    private PgSession session() throws SQLException {
        return PgSession.inTransaction(connection);
    }

    /**
     * Locks all keys in one round trip. Waits for other transactions as requested, by default forever.
     *
     * @param request what to lock, how strongly, and how long to wait
     * @return the outcome: always {@link LockResult.State#HELD}, unless the request allows absent rows
     * @throws LockNotAvailableException if another transaction holds one of the keys, and the request does not wait or
     *     its wait times out; no new lock is held, and the transaction stays usable
     * @throws RowAbsentException if a row does not exist and the request does not {@linkplain LockRequest#allowAbsent
     *     allow} absent rows; the other keys are locked
     * @throws LockTargetException if one of the keys cannot be locked, or there are more advisory locks than the
     *     {@linkplain RowLocksBuilder#lockBudget budget} allows
     * @throws RowlockException if the locks cannot be acquired for another reason, or the INSERT of {@link
     *     LockRequest#orInsert} fails; see its subclasses
     */
    public LockResult lock(LockRequest request) {
        return lock(RequestParts.of(request), null, false);
    }

    /**
     * Locks all keys, or no key if another transaction holds one of them. This method does not wait, unless the request
     * has a wait.
     *
     * @param request what to lock, and how strongly
     * @return the outcome, which is {@link LockResult.State#TAKEN} if another transaction holds one of the keys
     * @throws RowlockException in all other cases in which {@link #lock} throws an exception, for example a {@link
     *     RowAbsentException} for an absent row
     */
    @CheckReturnValue
    public LockResult tryLock(LockRequest request) {
        RequestParts parts = RequestParts.of(request);
        return lock(parts.waiting(parts.lockWait(LockWait.NO_WAIT)), null, true);
    }

    /**
     * Locks all keys, and runs a query after the locks, in one round trip. In READ COMMITTED the query takes a new
     * snapshot, and sees the changes that the previous lock holder committed.
     *
     * <p>With {@link LockStrategy#ROW} and an unbounded wait, a query {@code select columns from table where id = ?}
     * for the locked row is itself the lock statement: Rowlock adds the locking clause.
     *
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper creates a value from each row
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @throws LockNotAvailableException in the same cases as {@link #lock}; the query has not run. For a request with a
     *     bounded wait or without a wait, this exception is also thrown if the session's lock_timeout ends the query.
     *     The query is then rolled back
     * @throws RowAbsentException in the same cases as {@link #lock}; the query has run
     * @throws RowlockException if the locks cannot be acquired for another reason; see its subclasses. Any effect of
     *     the query is rolled back, and a transaction that had begun before the call may be aborted
     * @throws SQLException if the query, the row mapper or the INSERT of {@link LockRequest#orInsert} fails; after an
     *     error of the server, the transaction is aborted
     * @throws IllegalArgumentException if the binds do not fit the SQL (nothing is locked). Also if the SQL contains
     *     several statements or has no result set (the SQL has run, so roll back)
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, RowMapper<R> mapper, @Nullable Object... binds)
            throws SQLException {
        return lockAndRead(RequestParts.of(request), BoundQuery.of(sql, mapper, binds));
    }

    /**
     * Locks all keys, then runs a query and returns the first column of each row. Otherwise works like {@link
     * #lockAndRead(LockRequest, String, RowMapper, Object...)}.
     *
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param type the class of the value, which is read from the first column
     * @param binds a value per parameter, passed to {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @throws SQLException in the same cases as the method with a row mapper, which also lists the other exceptions
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, Class<R> type, @Nullable Object... binds)
            throws SQLException {
        return lockAndRead(RequestParts.of(request), BoundQuery.of(sql, type, binds));
    }

    private <R> List<R> lockAndRead(RequestParts request, BoundQuery<R> query) throws SQLException {
        return calls.lockAndRead(session(), request, query);
    }

    /**
     * Locks, if possible with the given statement of another library; see {@link LockAccess#lock}.
     *
     * @param trying whether a key that another transaction holds is reported as a result, not as an exception
     */
    LockResult lock(RequestParts request, @Nullable RowStatement statement, boolean trying) {
        try {
            LockCall call = new LockCall(calls, session(), request, statement, true);
            Outcome outcome = call.attempt(null);
            if (outcome instanceof Outcome.Failed failed && failed.meaning() == null) {
                throw LockErrors.ofInsert(call.description(), failed.cause());
            }
            if (trying && outcome instanceof Outcome.NotAvailable) {
                return new LockResult(call.strategy(), LockResult.State.TAKEN, List.of());
            }
            List<LockKey> absent = call.held(outcome, LockCall.NOTHING_LOCKED).absent();
            boolean allLocked = absent.isEmpty() || call.isLockedByKeys(absent);
            return new LockResult(call.strategy(), allLocked ? LockResult.State.HELD : LockResult.State.ABSENT, absent);
        } catch (SQLException e) {
            // The driver may throw an exception even if no lock statement is running.
            if (SqlState.isConnectionLost(e.getSQLState())) {
                throw new LockConnectionLostException("No lock was taken: " + e.getMessage(), e.getSQLState(), e);
            }
            throw new RowlockException("No lock was taken: " + e.getMessage(), e.getSQLState(), e);
        }
    }

    /**
     * Claims rows that match the claim's predicate, up to the {@linkplain Claim#limit limit}. A claim skips rows that
     * other transactions have locked, as {@code FOR UPDATE SKIP LOCKED} does. A claim waits for no row lock and no
     * advisory lock. A claim takes one round trip. With advisory locks, a claim takes two round trips, and more if rows
     * no longer match or other transactions hold their advisory locks.
     *
     * <p>Every returned row is locked, and matches the predicate under the lock. A row that another worker has finished
     * is therefore not returned. With {@link LockStrategy#ROW}, conditions on other tables are evaluated before the
     * lock, as with {@code FOR UPDATE SKIP LOCKED}. With the other strategies, a row whose advisory lock another
     * transaction holds is not returned. The claim nevertheless holds the row lock of such a row until the transaction
     * ends.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper creates a value from each row, which has all columns of the table
     * @param <T> the value of a row
     * @return the claimed rows in the claim's order, at most the limit; empty if no row is free
     * @throws RowlockException if the locks cannot be acquired; see its subclasses
     * @throws SQLException if the predicate or the order is not valid SQL, or the mapper fails
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) throws SQLException {
        ClaimParts parts = ClaimParts.of(claim);
        Arguments.notNull(mapper, "The row mapper is null");
        return calls.claim(session(), parts, mapper);
    }

    /**
     * Commits the transaction, with writes before the COMMIT in the same round trip. Use this method instead of {@link
     * Connection#commit()}. If a write fails, or does not change as many rows as {@linkplain CommitWrite#expectRows
     * expected}, nothing is committed. After any exception the transaction has ended. If the connection is still open,
     * the connection can be used for the next transaction. The transaction has rolled back, unless the exception is a
     * {@link CommitOutcomeUnknownException}. Without writes this method only commits, and reports the outcome of the
     * commit.
     *
     * <p>Do not use this method if a framework such as JTA or Spring commits the transaction. With Spring, use {@code
     * RowLockTemplate} instead.
     *
     * @param writes the statements to run before the commit; may be empty
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected
     * @throws CommitOutcomeUnknownException if it is unknown whether the transaction has committed. The exception is a
     *     {@link CommitNotConfirmedException} if the transaction has committed, but a crash or failover may still lose
     *     the transaction
     * @throws RowlockException for any other failure of Rowlock; the transaction has certainly not committed
     * @throws SQLException if the transaction has not committed because a write or a deferred constraint failed
     * @throws IllegalArgumentException if the writes are null, or if a write contains several statements or a COMMIT,
     *     or has values that do not fit its parameters
     * @throws IllegalStateException if an earlier call has or may have committed the writes
     */
    public void commit(CommitWrites writes) throws SQLException {
        try {
            List<Write> toSend = CommitWrites.toSend(writes);
            if (connection.isClosed() || !connection.getAutoCommit()) {
                // The queues that this thread has entered show whether other transactions contend for the locks. If
                // this thread has entered no queue, Rowlock assumes contention.
                KeyEntries entered = KeyQueues.entered();
                Ending.Choice endings = calls.endings(entered == null ? () -> true : entered::isWanted);
                Commit.run(connection, null, List.of(), endings, toSend, false);
                return;
            }
        } catch (Throwable failure) {
            // An Error is caught too, because a later commit of the connection must not store the earlier statements of
            // this transaction.
            PgSession.rollBack(connection, failure);
            throw failure;
        }
        throw new LockTransactionException(
                "Nothing is stored: the connection is in autocommit, so there is no transaction to commit; call"
                        + " setAutoCommit(false) before its first statement",
                SqlState.NO_ACTIVE_SQL_TRANSACTION,
                null);
    }
}
