package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.acquire.LockAndCommit;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.acquire.LockRequests;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.request.KeyModes;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.ScriptResult;
import org.rowlock.internal.text.SqlState;

/**
 * Locks of the caller's transaction. Held until it commits or rolls back, or until the savepoint they were taken behind
 * is rolled back; there is no unlock.
 *
 * <p>Every method needs a connection that is open, not in autocommit, read-write and not in an aborted transaction, and
 * refuses others with a {@link LockTransactionException}. In READ COMMITTED a read behind the lock sees everything that
 * the previous holder committed. In REPEATABLE READ and SERIALIZABLE the same holds with {@link LockStrategy#BOTH} and
 * {@link LockStrategy#ADVISORY} if the lock is the first statement of the transaction. Later, {@code ADVISORY} refuses, as
 * the read would be stale, unless the transaction holds the key already, and {@code BOTH} and {@code ROW} leave it to the
 * server, which raises 40001 for a locked row that has changed, and for no other; {@code BOTH} refuses a row that the
 * transaction's snapshot does not have.
 *
 * <p>A shared lock that is upgraded to an exclusive one can deadlock with another that does the same, as with row locks.
 *
 * <p>Not thread-safe, as the connection is not.
 */
public final class TransactionLocks {
    private static final String NOTHING_LOCKED = "Nothing is locked";

    private final Connection connection;
    private final LockCalls calls;
    private final LockRequests requests;
    private final boolean rowRequired;

    TransactionLocks(Connection connection, LockCalls calls) {
        this(connection, calls, false);
    }

    TransactionLocks(Connection connection, LockCalls calls, boolean rowRequired) {
        this.connection = connection;
        this.calls = calls;
        this.requests = calls.requests();
        this.rowRequired = rowRequired;
    }

    /**
     * The same locks, with which a row that does not exist is an error: a {@link RowAbsentException}, where without it
     * {@link LockStrategy#ROW} locks nothing and {@link LockStrategy#BOTH} the key alone. A query behind such a lock has
     * run. {@link LockStrategy#ADVISORY}, names and numbers are refused, as nothing looks for a row there.
     *
     * @return the locks of the same transaction
     */
    public TransactionLocks requireRow() {
        return new TransactionLocks(connection, calls, true);
    }

    /**
     * Locks {@link RowLockMode#FOR_UPDATE}, and waits as long as it takes.
     *
     * @param key what to lock
     * @return what is held now; worth a look where {@link LockStrategy#ROW} may find no row
     * @throws LockException if the lock cannot be had; see its subclasses
     * @throws IllegalArgumentException if the key is null
     */
    public LockResult lock(LockKey key) {
        return lock(key, RowLockMode.FOR_UPDATE, LockWait.forever());
    }

    /**
     * Locks in a mode, and waits as long as it takes.
     *
     * @param key what to lock
     * @param mode how strongly
     * @return what is held now
     * @throws LockException if the lock cannot be had; see its subclasses
     * @throws IllegalArgumentException if an argument is null
     */
    public LockResult lock(LockKey key, RowLockMode mode) {
        return lock(key, mode, LockWait.forever());
    }

    /**
     * Locks in a mode, and waits as given. One round trip.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait for other transactions
     * @return what is held now
     * @throws LockNotAvailableException if another transaction holds the lock and the wait is none or runs out; nothing
     *     is newly held and the transaction stays usable
     * @throws LockException if the lock cannot be had for another reason; see its subclasses
     * @throws IllegalArgumentException if an argument is null
     */
    public LockResult lock(LockKey key, RowLockMode mode, LockWait wait) {
        return unchecked(() -> {
            PgSession session = PgSession.inTransaction(connection);
            LockRequest request = requests.of(key, mode, wait);
            ScriptResult result = acquire(session, request, null);
            return result(request.strategy(), !request.isAnyRowAbsent(result.found()));
        });
    }

    /**
     * Locks in a mode if the lock can be had within a wait. As {@link #tryLock(LockKey, RowLockMode, LockWait)}, and tells
     * a lock that is taken from a row that does not exist.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait
     * @return what is held now, or {@link LockResult#TAKEN}
     * @throws LockException if the lock cannot be had for another reason than another transaction holding it
     * @throws IllegalArgumentException if an argument is null
     */
    @CheckReturnValue
    public LockResult attempt(LockKey key, RowLockMode mode, LockWait wait) {
        try {
            return lock(key, mode, wait);
        } catch (LockNotAvailableException e) {
            checkUsable(e);
            return LockResult.TAKEN;
        }
    }

    /**
     * Locks {@link RowLockMode#FOR_UPDATE} if no other transaction holds the lock.
     *
     * @param key what to lock
     * @return true if and only if the lock is held now
     * @throws LockException if the lock cannot be had for another reason than another transaction holding it
     * @throws IllegalArgumentException if the key is null
     */
    @CheckReturnValue
    public boolean tryLock(LockKey key) {
        return tryLock(key, RowLockMode.FOR_UPDATE);
    }

    /**
     * Locks in a mode if no other transaction holds the lock.
     *
     * @param key what to lock
     * @param mode how strongly
     * @return true if and only if the lock is held now; so false also where {@link LockStrategy#ROW} finds no row, which
     *     {@link #attempt} tells
     * @throws LockException if the lock cannot be had for another reason than another transaction holding it
     * @throws IllegalArgumentException if an argument is null
     */
    @CheckReturnValue
    public boolean tryLock(LockKey key, RowLockMode mode) {
        return tryLock(key, mode, LockWait.noWait());
    }

    /**
     * Locks {@link RowLockMode#FOR_UPDATE} if the lock can be had within a duration.
     *
     * @param key what to lock
     * @param atMost how long to wait
     * @return true if and only if the lock is held now
     * @throws LockException if the lock cannot be had for another reason than another transaction holding it
     * @throws IllegalArgumentException if an argument is null, or the duration negative or too long
     */
    @CheckReturnValue
    public boolean tryLock(LockKey key, Duration atMost) {
        return tryLock(key, RowLockMode.FOR_UPDATE, LockWait.atMost(atMost));
    }

    /**
     * Locks in a mode if the lock can be had within a wait.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait
     * @return true if and only if the lock is held now
     * @throws LockException if the lock cannot be had for another reason than another transaction holding it
     * @throws IllegalArgumentException if an argument is null
     */
    @CheckReturnValue
    public boolean tryLock(LockKey key, RowLockMode mode, LockWait wait) {
        return attempt(key, mode, wait).isLocked();
    }

    /**
     * Locks several keys {@link RowLockMode#FOR_UPDATE}, and waits as long as it takes.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @return what is held now
     * @throws LockException as for {@link #lockAll(Collection, RowLockMode, LockWait)}
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    public LockAllResult lockAll(Collection<? extends LockKey> keys) {
        return lockAll(keys, RowLockMode.FOR_UPDATE, LockWait.forever());
    }

    /**
     * Locks several keys in one round trip, all or none. They are locked in one order, whatever the order given, so
     * calls never deadlock with each other; separate calls of one transaction can.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @param mode how strongly
     * @param wait how long to wait for other transactions, for all keys together
     * @return what is held now
     * @throws LockNotAvailableException if another transaction holds one of them and the wait is none or runs out;
     *     nothing is newly held and the transaction stays usable
     * @throws LockBudgetExceededException if there are more than the budget allows; nothing is locked
     * @throws LockTableFullException if the server has no room for them
     * @throws LockException if the locks cannot be had for another reason; see its subclasses
     * @throws IllegalArgumentException if the keys are null or empty, or an argument is null
     */
    public LockAllResult lockAll(Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait) {
        return lockAll(() -> requests.of(keys, mode, wait));
    }

    /**
     * Locks several keys, each in a mode of its own, in one round trip, all or none. They are locked in the order of
     * {@link #lockAll(Collection, RowLockMode, LockWait)}, so that these calls do not deadlock with each other either, in
     * one case excepted: {@link LockStrategy#ROW}, and {@link LockStrategy#BOTH} where it goes on with row locks alone
     * beyond the budget, lock the rows of a table mode by mode, the strongest first, since one statement has one mode for
     * a table.
     *
     * @param modes what to lock and how strongly, of one table or several
     * @param wait how long to wait for other transactions, for all keys together
     * @return what is held now
     * @throws LockException as for {@link #lockAll(Collection, RowLockMode, LockWait)}
     * @throws IllegalArgumentException if the map is null or empty, or a key, a mode or the wait is null
     */
    public LockAllResult lockAll(Map<? extends LockKey, RowLockMode> modes, LockWait wait) {
        return lockAll(() -> requests.of(modes, wait));
    }

    private LockAllResult lockAll(Supplier<LockRequest> checked) {
        return unchecked(() -> {
            PgSession session = PgSession.inTransaction(connection);
            LockRequest request = checked.get();
            ScriptResult result = acquire(session, request, null);
            return new LockAllResult(request.keys(), request.absentRows(result.found()));
        });
    }

    /**
     * Locks several keys {@link RowLockMode#FOR_UPDATE} if no other transaction holds any of them, all or none.
     *
     * @param keys what to lock
     * @return true if and only if all locks are held now
     * @throws LockException if the locks cannot be had for another reason than another transaction holding one
     * @throws IllegalArgumentException if the keys are null or empty, or one is null
     */
    @CheckReturnValue
    public boolean tryLockAll(Collection<? extends LockKey> keys) {
        return tryLockAll(keys, RowLockMode.FOR_UPDATE, LockWait.noWait());
    }

    /**
     * Locks several keys in a mode if they can be had within a wait, all or none.
     *
     * @param keys what to lock
     * @param mode how strongly
     * @param wait how long to wait, for all keys together
     * @return true if and only if all locks are held now; so false also where {@link LockStrategy#ROW} does not find one
     *     of the rows (those that it finds are locked)
     * @throws LockException if the locks cannot be had for another reason than another transaction holding one
     * @throws IllegalArgumentException if the keys are null or empty, or an argument is null
     */
    @CheckReturnValue
    public boolean tryLockAll(Collection<? extends LockKey> keys, RowLockMode mode, LockWait wait) {
        return tryLockAll(() -> requests.of(keys, mode, wait));
    }

    /**
     * Locks several keys, each in a mode of its own, if they can be had within a wait, all or none.
     *
     * @param modes what to lock, and how strongly
     * @param wait how long to wait, for all keys together
     * @return true if and only if all locks are held now
     * @throws LockException if the locks cannot be had for another reason than another transaction holding one
     * @throws IllegalArgumentException if the map is null or empty, or a key, a mode or the wait is null
     */
    @CheckReturnValue
    public boolean tryLockAll(Map<? extends LockKey, RowLockMode> modes, LockWait wait) {
        return tryLockAll(() -> requests.of(modes, wait));
    }

    private boolean tryLockAll(Supplier<LockRequest> checked) {
        return unchecked(() -> {
            try {
                PgSession session = PgSession.inTransaction(connection);
                LockRequest request = checked.get();
                ScriptResult result = acquire(session, request, null);
                return request.areAllLocked(result.found());
            } catch (LockNotAvailableException e) {
                checkUsable(e);
                return false;
            }
        });
    }

    /**
     * Locks {@link RowLockMode#FOR_UPDATE} and runs a query behind the lock, in one round trip. The query has a snapshot
     * of its own, so it sees what the previous holder committed.
     *
     * @param key what to lock
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <T> the value of a row
     * @return a value per row
     * @throws LockException as for {@link #lockAndQuery(LockKey, RowLockMode, LockWait, String, RowMapper, Object...)}
     * @throws SQLException if the query fails
     * @throws IllegalArgumentException as there
     */
    public <T> List<T> lockAndQuery(LockKey key, String sql, RowMapper<T> mapper, @Nullable Object... binds)
            throws SQLException {
        return lockAndQuery(key, RowLockMode.FOR_UPDATE, LockWait.forever(), sql, mapper, binds);
    }

    /**
     * Locks and runs a query behind the lock, in one round trip. The query does not run where the lock is refused, so it
     * may also write ({@code UPDATE ... RETURNING}). One case is no refusal: with {@link LockStrategy#ROW} and no such
     * row nothing is locked, as with {@code FOR UPDATE}, and the query runs; use {@link #lock} where that must be told.
     *
     * @param key what to lock
     * @param mode how strongly
     * @param wait how long to wait for other transactions; does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <T> the value of a row
     * @return a value per row
     * @throws LockNotAvailableException if another transaction holds the lock and the wait is none or runs out; the
     *     query has not run, nothing is newly held and the transaction stays usable. With a bounded wait also if the
     *     session's lock_timeout ends the query itself, which is then undone
     * @throws LockException if the lock cannot be had for another reason; see its subclasses. The query has not run; the
     *     transaction is aborted if it had begun before the call
     * @throws SQLException if the query fails; the transaction is aborted
     * @throws IllegalArgumentException if an argument is null or the SQL blank, if the binds do not fit the SQL (nothing
     *     is locked), or if the SQL turns out to be several statements or to return no rows
     */
    public <T> List<T> lockAndQuery(
            LockKey key, RowLockMode mode, LockWait wait, String sql, RowMapper<T> mapper, @Nullable Object... binds)
            throws SQLException {
        return query(LockQuery.of(sql, mapper, binds), () -> requests.of(key, mode, wait));
    }

    /**
     * Locks several keys, all or none, and runs a query behind the locks, in one round trip: {@link
     * #lockAll(Collection, RowLockMode, LockWait)} and {@link #lockAndQuery(LockKey, RowLockMode, LockWait, String,
     * RowMapper, Object...)} in one.
     *
     * @param keys what to lock, of one table or several; equal ones count once
     * @param mode how strongly
     * @param wait how long to wait for other transactions, for all keys together; does not bound the query
     * @param sql one statement that returns rows, with {@code ?} for parameters
     * @param mapper makes a value of each row
     * @param binds a value per parameter, as for {@link java.sql.PreparedStatement#setObject(int, Object)}
     * @param <T> the value of a row
     * @return a value per row
     * @throws LockException as for these two
     * @throws SQLException if the query fails; the transaction is aborted
     * @throws IllegalArgumentException as for these two
     */
    public <T> List<T> lockAndQuery(
            Collection<? extends LockKey> keys,
            RowLockMode mode,
            LockWait wait,
            String sql,
            RowMapper<T> mapper,
            @Nullable Object... binds)
            throws SQLException {
        return query(LockQuery.of(sql, mapper, binds), () -> requests.of(keys, mode, wait));
    }

    /**
     * Takes up to {@link Claim#limit()} rows that nobody else holds and that meet the claim's predicate, and skips those
     * that others hold: {@code FOR UPDATE SKIP LOCKED}. Never waits. One round trip, and with advisory locks more
     * only while other workers finish the rows that it looks at.
     *
     * <p>Every row returned is locked and meets the predicate as of now, so a job is done once. A row that another
     * worker finished between the look and the lock is not returned, yet its key stays locked until the transaction
     * ends; with {@link LockStrategy#BOTH} so does the row lock of a row whose key alone is held by another transaction.
     *
     * @param claim the table, the predicate, the order and the limit
     * @param mapper makes a value of each row, all columns of the table
     * @param <T> the value of a row
     * @return the claimed rows in the claim's order, at most the limit; empty if there are none to be had
     * @throws LockTransactionException also in REPEATABLE READ and SERIALIZABLE with {@link LockStrategy#ADVISORY}:
     *     there a job could run twice
     * @throws LockException if the locks cannot be had for another reason; see its subclasses
     * @throws SQLException if the predicate or the order is not valid SQL, or the mapper fails
     */
    public <T> List<T> claim(Claim claim, RowMapper<T> mapper) throws SQLException {
        if (claim == null || mapper == null) {
            throw new IllegalArgumentException("The " + (claim == null ? "claim" : "row mapper") + " is null");
        }
        PgSession session = PgSession.inTransaction(connection);
        List<T> rows = calls.claim(session, claim, mapper);
        session.refuseIfOver("Nothing is claimed");
        return rows;
    }

    private <T> List<T> query(LockQuery<T> query, Supplier<LockRequest> checked) throws SQLException {
        try (query) {
            PgSession session = PgSession.inTransaction(connection);
            acquire(session, checked.get(), query);
            List<T> rows = query.rows();
            session.refuseIfOver(NOTHING_LOCKED);
            return rows;
        }
    }

    private ScriptResult acquire(PgSession session, LockRequest request, @Nullable LockQuery<?> query)
            throws SQLException {
        ScriptResult result =
                rowRequired ? calls.acquireRows(session, request, query) : calls.acquire(session, request, query);
        session.refuseIfOver(NOTHING_LOCKED);
        return result;
    }

    /**
     * Commits the transaction, with writes in front in the same flush: use it in place of {@link Connection#commit()}. Where
     * the writes fail, or do not change as many rows as {@linkplain CommitWrite#expectRows expected}, nothing is committed.
     * Whatever it throws, the transaction is over and rolled back, and the connection can be used for the next. Without
     * writes it is a commit that tells what has become of it.
     *
     * <p>Not for connections whose transactions somebody else commits: JTA, or Spring (there see {@code RowLockTemplate}).
     *
     * @param writes what to do before the commit; may be empty
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected
     * @throws CommitOutcomeUnknownException if it cannot be told whether the transaction has committed for good; do not
     *     run the work again before you have looked. {@link CommitNotConfirmedException} if it surely has
     * @throws LockException if it has not, for another reason that is known
     * @throws SQLException if it has not, as a write failed or a deferred constraint
     * @throws IllegalArgumentException if the writes are null, or one cannot go with a commit: several statements, a
     *     COMMIT of its own, values that do not fit its parameters
     * @throws IllegalStateException if the writes are committed already
     */
    public void commit(CommitWrites writes) throws SQLException {
        try {
            if (writes == null) {
                throw new IllegalArgumentException("The writes are null; make new CommitWrites() and add statements");
            }
            List<Write<?>> toSend = writes.toSend();
            if (connection.isClosed() || !connection.getAutoCommit()) {
                new Commit(connection, List.of(), requests.names(), endings()).run(toSend);
                return;
            }
        } catch (Throwable failure) {
            // Throwable, as nothing may be left that a later commit would store.
            rollBack(failure);
            throw failure;
        }
        throw new LockTransactionException(
                LockTransactionException.Reason.AUTOCOMMIT,
                "Nothing is stored: the connection is in autocommit, so there is no transaction to commit; call"
                        + " setAutoCommit(false) before its first statement",
                null,
                null);
    }

    /**
     * Sends writes now, in one flush, for transactions that somebody else commits. What they did is there when it returns.
     *
     * @param writes what to do; may be empty
     * @throws UnexpectedRowCountException if a write does not change as many rows as expected; roll back
     * @throws LockTransactionException if the connection has no transaction, or one that an error has aborted
     * @throws SQLException if a write fails; the transaction is aborted
     * @throws IllegalArgumentException if the writes are null, or one cannot be sent so, as for {@link #commit}
     * @throws IllegalStateException if the writes are committed or sent already
     */
    public void send(CommitWrites writes) throws SQLException {
        if (writes == null) {
            throw new IllegalArgumentException("The writes are null; make new CommitWrites() and add statements");
        }
        List<Write<?>> toSend = writes.toSend();
        if (!toSend.isEmpty()) {
            new Commit(connection, List.of(), requests.names(), endings())
                    .send(PgSession.inTransaction(connection), toSend);
        }
    }

    /** Who else wants the locks is known by the queues that this thread has passed; without any it may be anyone. */
    private Ending.Choice endings() {
        AdmissionQueues.Permit permit = AdmissionQueues.innermostOpen();
        return permit == null
                ? calls.releases().choice(List.of(), true)
                : calls.releases().choice(permit.keys().keys(), permit.isWanted());
    }

    private void rollBack(Throwable failure) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /** Locks, writes and commits. Whatever it throws, the caller has to roll back. */
    void lockAndCommit(KeyModes keys, LockWait wait, List<Write<?>> writes, Ending.Choice endings, boolean observed)
            throws SQLException {
        PgSession session = PgSession.inTransaction(connection);
        LockRequest request = !keys.each().isEmpty()
                ? requests.of(keys.each(), wait)
                : keys.keys().size() == 1
                        ? requests.of(keys.keys().get(0), keys.strongest(), wait)
                        : requests.of(keys.keys(), keys.strongest(), wait);
        new LockAndCommit(observed ? calls : calls.unobserved(), endings).run(session, request, writes, rowRequired);
    }

    private static LockResult result(LockStrategy strategy, boolean rowFound) {
        return switch (strategy) {
            case ADVISORY -> LockResult.KEY_LOCKED;
            case BOTH -> rowFound ? LockResult.KEY_AND_ROW_LOCKED : LockResult.KEY_LOCKED_ROW_ABSENT;
            case ROW -> rowFound ? LockResult.ROW_LOCKED : LockResult.NOTHING_LOCKED_ROW_ABSENT;
        };
    }

    /** A plain answer would let the caller go on in a transaction that the session's lock_timeout has aborted. */
    private static void checkUsable(LockNotAvailableException e) {
        if (!e.isTransactionUsable()) {
            throw e;
        }
    }

    /** What the driver throws outside a lock statement has no better name than a LockException. */
    private static <T> T unchecked(SqlCall<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            if (SqlState.isConnectionLost(e.getSQLState())) {
                throw new LockConnectionLostException("No lock was taken: " + e.getMessage(), e);
            }
            throw new LockException("No lock was taken: " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface SqlCall<T> {
        T run() throws SQLException;
    }
}
