package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.CommitBehindLock;
import org.rowlock.internal.acquire.LockCall;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.value.CheckReturnValue;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.Insert;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.WaitNanos;

/**
 * Acquires locks in the caller's transaction. The locks are held until the transaction commits or rolls back, or until
 * it rolls back to a savepoint that is older than the lock. There is no method to unlock, and no lock outlasts the
 * transaction.
 *
 * <p>Every method needs a connection that is open, read-write, not in autocommit, and not in an aborted transaction.
 * Otherwise it throws a {@link LockTransactionException}.
 *
 * <p>In READ COMMITTED a read after the lock sees everything that the previous holder committed. In REPEATABLE READ and
 * SERIALIZABLE the snapshot is older than the lock. With {@link LockStrategy#ROW} and {@link LockStrategy#BOTH}
 * PostgreSQL then raises 40001 if the locked row has changed; it does not compare other rows. {@code BOTH} also refuses
 * a row that is missing in the snapshot. {@link LockStrategy#ADVISORY}, names and numbers are refused.
 *
 * <p>Two transactions that hold shared locks of one key, and both request an exclusive lock of it, deadlock as with row
 * locks.
 *
 * <p>Not thread-safe, because the connection is not.
 */
public final class TransactionLocks {
    private static final String NOTHING_LOCKED = "Nothing is locked";

    private final Connection connection;
    private final LockCalls calls;

    TransactionLocks(Connection connection, LockCalls calls) {
        this.connection = connection;
        this.calls = calls;
    }

    /**
     * Locks all keys or none, in one round trip. Waits for other transactions as requested, by default forever.
     *
     * @param request what to lock, how strongly, and how long to wait
     * @return the outcome, which is always {@link LockResult.State#HELD} unless the request allows absent rows
     * @throws LockNotAvailableException if another transaction holds one of the keys, and the request does not wait or
     *     its wait times out; no new lock is held, and the transaction stays usable
     * @throws RowAbsentException if a row does not exist and the request does not {@linkplain LockRequest#allowAbsent
     *     allow} absent rows
     * @throws LockTargetException if one of the keys cannot be locked, or there are more keys than the budget allows;
     *     nothing is locked
     * @throws RowlockException if the locks cannot be acquired for another reason, or the INSERT of {@link
     *     LockRequest#orInsert} fails; see its subclasses
     */
    public LockResult lock(LockRequest request) {
        return lock(request, null);
    }

    /** Locks with a statement of another library if that has the same effect; see {@link LockAccess#lock}. */
    LockResult lock(LockRequest request, @Nullable RowStatement statement) {
        RequestParts parts = RequestParts.of(request);
        return lock(parts, parts.lockWait(WaitNanos.FOREVER), statement, false);
    }

    /**
     * Locks all keys, or none if another transaction holds one of them. This method does not wait, unless the request
     * has a wait.
     *
     * @param request what to lock, and how strongly
     * @return the outcome, which is {@link LockResult.State#TAKEN} if another transaction holds one of the keys
     * @throws RowlockException for any other reason, as for {@link #lock}; an absent row causes a {@link
     *     RowAbsentException} here too
     */
    @CheckReturnValue
    public LockResult tryLock(LockRequest request) {
        RequestParts parts = RequestParts.of(request);
        return lock(parts, parts.lockWait(LockWait.noWait()), null, true);
    }

    /**
     * Locks all keys or none, and runs a query after the locks, in one round trip. In READ COMMITTED the query takes a
     * new snapshot, so it sees what the previous holder committed.
     *
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper creates a value from each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @throws LockNotAvailableException as for {@link #lock}; the query has not run. If the request has a bounded wait,
     *     this is also thrown if the session's lock_timeout ends the query itself, which is then rolled back
     * @throws RowAbsentException as for {@link #lock}; the query has run
     * @throws RowlockException if the locks cannot be acquired for another reason; see its subclasses. The query has
     *     not run; the transaction is aborted if it had begun before the call
     * @throws SQLException if the query fails, or the INSERT of {@link LockRequest#orInsert}; the transaction is
     *     aborted
     * @throws IllegalArgumentException if the binds do not fit the SQL (nothing is locked), or if the SQL is several
     *     statements or returns no rows
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, RowMapper<R> mapper, @Nullable Object... binds)
            throws SQLException {
        return lockAndRead(request, BoundQuery.of(sql, mapper, binds));
    }

    /**
     * Locks all keys or none, and runs a query for one value per row after the locks, as {@link
     * #lockAndRead(LockRequest, String, RowMapper, Object...)} does.
     *
     * @param request what to lock, and how strongly; its wait does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param type the class of the value, which is read from the first column
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <R> the value of a row
     * @return a value per row
     * @throws SQLException as for that method, like all others
     */
    public <R> List<R> lockAndRead(LockRequest request, String sql, Class<R> type, @Nullable Object... binds)
            throws SQLException {
        return lockAndRead(request, BoundQuery.of(sql, type, binds));
    }

    <R> List<R> lockAndRead(LockRequest request, BoundQuery<R> query) throws SQLException {
        Arguments.notNull(query, "The query is null");
        RequestParts parts = RequestParts.of(request);
        return locked(parts, parts.lockWait(WaitNanos.FOREVER), query).rows();
    }

    /** Locks for the work of a transaction, with a wait that replaces the request's. */
    <R> LockedTransaction<R> locked(RequestParts request, LockWait wait, @Nullable BoundQuery<R> query)
            throws SQLException {
        PgSession session = PgSession.inTransaction(connection);
        LockCall call = call(session, request, wait, null, true);
        if (query == null) {
            LockResult result = result(call, call.attempt(null), false);
            return new LockedTransaction<>(connection, List.of(), result.absentRows());
        }
        try (OpenRows open = new OpenRows()) {
            LockResult result = result(call, call.attempt(Tail.ofQuery(query, open)), false);
            List<R> rows = open.map(query.mapper());
            session.refuseIfOver(NOTHING_LOCKED);
            return new LockedTransaction<>(connection, rows, result.absentRows());
        }
    }

    /** @param trying whether a taken key is a result rather than an exception */
    private LockResult lock(RequestParts request, LockWait wait, @Nullable RowStatement statement, boolean trying) {
        try {
            LockCall call = call(PgSession.inTransaction(connection), request, wait, statement, true);
            Outcome outcome = call.attempt(null);
            if (outcome instanceof Outcome.Failed failed && failed.meaning() == null) {
                throw LockErrors.ofInsert(call.description(), failed.cause());
            }
            return result(call, outcome, trying);
        } catch (SQLException e) {
            // The driver may also throw an exception while no lock statement runs.
            if (SqlState.isConnectionLost(e.getSQLState())) {
                throw new LockConnectionLostException("No lock was taken: " + e.getMessage(), e.getSQLState(), e);
            }
            throw new RowlockException("No lock was taken: " + e.getMessage(), e.getSQLState(), e);
        }
    }

    private LockResult result(LockCall call, Outcome outcome, boolean trying) throws SQLException {
        if (trying && outcome instanceof Outcome.NotAvailable) {
            return new LockResult(call.strategy(), LockResult.State.TAKEN, List.of());
        }
        List<LockKey> absent = call.held(outcome).absent();
        call.session().refuseIfOver(NOTHING_LOCKED);
        boolean allLocked = absent.isEmpty() || call.isLockedByKeys(absent);
        return new LockResult(call.strategy(), allLocked ? LockResult.State.HELD : LockResult.State.ABSENT, absent);
    }

    private LockCall call(
            PgSession session,
            RequestParts request,
            LockWait wait,
            @Nullable RowStatement statement,
            boolean observed) {
        Map<LockKey.Row, Insert> given = request.inserts();
        List<Insert> inserts = given.isEmpty()
                ? List.of()
                : KeyEntries.ordered(List.copyOf(given.keySet())).stream()
                        .map(key -> Objects.requireNonNull(given.get(key)))
                        .toList();
        return new LockCall(calls, session, request, wait, inserts, statement, observed);
    }

    /**
     * Claims rows that match the claim's predicate, up to its {@linkplain Claim#limit limit}. It skips rows that other
     * transactions hold, as {@code FOR UPDATE SKIP LOCKED} does. A claim never waits. It takes one round trip, or two
     * with advisory locks. More are needed only if other transactions hold keys of these rows but not their row locks.
     *
     * <p>Every returned row is locked, and matched the predicate when it was last read, so a job is done only once. A
     * row that another worker finished before the lock is not returned. A row whose key another transaction holds is
     * not returned either, but its row lock is held until the transaction ends.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper creates a value from each row, all columns of the table
     * @param <T> the value of a row
     * @return the claimed rows in the claim's order, at most the limit; empty if no row is free
     * @throws RowlockException if the locks cannot be acquired; see its subclasses
     * @throws SQLException if the predicate or the order is not valid SQL, or the mapper fails
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) throws SQLException {
        ClaimParts parts = ClaimParts.of(claim);
        Arguments.notNull(mapper, "The row mapper is null");
        PgSession session = PgSession.inTransaction(connection);
        List<T> rows = calls.claim(session, parts, mapper);
        session.refuseIfOver("Nothing is claimed");
        return rows;
    }

    /**
     * Commits the transaction, with writes before the COMMIT in the same flush. Use it instead of {@link
     * Connection#commit()}. If a write fails, or does not change as many rows as {@linkplain CommitWrite#expectRows
     * expected}, nothing is committed. After any exception the transaction is over, and the connection can be used for
     * the next transaction. The transaction is rolled back, unless the exception is a {@link
     * CommitOutcomeUnknownException}. Without writes this method only commits, and reports the outcome.
     *
     * <p>Do not use this method if a framework such as JTA or Spring commits the transaction. For Spring there is
     * {@code RowLockTemplate}.
     *
     * @param writes what to do before the commit; may be empty
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected
     * @throws CommitOutcomeUnknownException if it is unknown whether the transaction has committed. It is a {@link
     *     CommitNotConfirmedException} if the transaction has committed, but a crash or failover may still lose it
     * @throws RowlockException if the transaction has not committed, for another known reason
     * @throws SQLException if the transaction has not committed, because a write or a deferred constraint failed
     * @throws IllegalArgumentException if the writes are null, or one cannot be sent with a commit: it contains several
     *     statements or a COMMIT, or its values do not fit its parameters
     * @throws IllegalStateException if the writes are committed already
     */
    public void commit(CommitWrites writes) throws SQLException {
        try {
            List<Write> toSend = CommitWrites.toSend(writes);
            if (connection.isClosed() || !connection.getAutoCommit()) {
                // The queues that this thread has entered show whether other transactions contend for the locks. A
                // thread that has entered no queue assumes that they do.
                KeyEntries entered = KeyEntries.entered();
                Ending.Choice endings = calls.endings(entered == null ? () -> true : entered::isWanted);
                Commit.run(connection, List.of(), calls.tables().config().names(), endings, toSend);
                return;
            }
        } catch (Throwable failure) {
            // An Error is caught too, because a later commit of the connection must not store the rest of this
            // transaction.
            PgSession.rollBack(connection, failure);
            throw failure;
        }
        throw new LockTransactionException(
                "Nothing is stored: the connection is in autocommit, so there is no transaction to commit; call"
                        + " setAutoCommit(false) before its first statement",
                SqlState.NO_ACTIVE_SQL_TRANSACTION,
                null);
    }

    /** Sends writes now, in one flush; see {@link LockAccess#send}. */
    void send(CommitWrites writes) throws SQLException {
        List<Write> toSend = CommitWrites.toSend(writes);
        Commit.sendWrites(connection, calls.tables().config().names(), toSend);
    }

    /** Locks, writes and commits. After any exception, the caller must roll back. */
    void lockAndCommit(RequestParts request, LockWait wait, List<Write> writes, Ending.Choice endings, boolean observed)
            throws SQLException {
        PgSession session = PgSession.inTransaction(connection);
        CommitBehindLock.run(call(session, request, wait, null, observed), writes, endings);
    }
}
