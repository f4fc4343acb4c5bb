package org.rowlock.internal.session;

import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.LockCanceledException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockSerializationException;
import org.rowlock.LockStrategy;
import org.rowlock.LockTableFullException;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.SqlState;

/**
 * Turns an error of the server, or the result of a check, into an exception. The message of the exception names the
 * request, the reason of the failure and the remedy. {@link #ofLock} is for statements of Rowlock, {@link #ofStatement}
 * for statements of the caller, and {@link #ofFlush} for a flush with both kinds of statements. {@link #ofOutcome} is
 * for results of checks.
 */
public final class LockErrors {
    static final String ABORTED = "The transaction is aborted; roll back";

    private static final String GONE = "The transaction and its locks are gone; run it again on another connection.";

    private static final String TIMED_OUT = "the session's lock_timeout ended the wait. " + ABORTED
            + ", or use atMost() of the request, which keeps the transaction usable.";

    private static final String CANCELED = "the wait was cancelled by a timeout or another session";

    private static final String DEADLOCK = "the server ended this transaction to break a deadlock. Roll back and run it"
            + " again; one request for all keys avoids deadlocks. If a transaction wrote or locked the row, or inserted"
            + " a row that references it, before it acquired this lock: lock before you write";

    private static final String CHANGED =
            "the row has changed since the transaction's snapshot. Roll back and run the transaction again.";

    private static final String FULL = "the server's lock table is full. Raise max_locks_per_transaction or"
            + " max_connections, or lock fewer keys in one transaction; distinct keys of this call: ";

    private static final String FAILED = "an earlier statement of the transaction failed; roll back first.";

    public static final String POOLER_ADVICE =
            "set max_prepared_statements in PgBouncer 1.21 or newer, or prepareThreshold=0 in the JDBC URL.";

    private LockErrors() {}

    public static RowlockException ofOutcome(Description request, Outcome outcome) throws SQLException {
        if (outcome instanceof Outcome.NotAvailable taken) {
            String why = "another transaction holds " + (request.keys() > 1 ? "one of them" : "it")
                    + (taken.mayBeOfTail()
                            ? ", or a lock that the query after it needs, for longer than the lock_timeout"
                            : "")
                    + ". No new lock is held, and the transaction is usable; try later, or wait longer.";
            return request.cannot(LockNotAvailableException::new, why, SqlState.LOCK_NOT_AVAILABLE, taken.cause());
        }
        if (outcome instanceof Outcome.Stale stale) {
            return TargetErrors.stale(request, stale.undone());
        }
        if (outcome instanceof Outcome.Refused refused) {
            return refused(request, refused);
        }
        if (outcome instanceof Outcome.Failed failed) {
            RowlockException meaning = failed.meaning();
            if (meaning == null) {
                throw failed.cause();
            }
            return meaning;
        }
        throw new IllegalArgumentException(outcome + " is no failure");
    }

    /**
     * Returns the exception for an error of a flush; null if the error is about the caller's own statements.
     *
     * @throws IllegalArgumentException if the values do not fit the caller's statements
     */
    public static @Nullable RowlockException ofFlush(
            Description request, boolean inserts, @Nullable Tail tail, SQLException e) {
        if (tail == null || tail.parts().isEmpty()) {
            return inserts && !ServerErrors.isLockTarget(request, List.of(), e)
                    ? ofSession(request, e)
                    : ofLock(request, e);
        }
        if (ServerErrors.isDriverRefusal(e)) {
            throw new IllegalArgumentException(
                    "The SQL of the query does not fit its " + tail.binds().size() + " bind values: " + tail.sql()
                            + ". Give one value per parameter; nothing was locked.",
                    e);
        }
        if (tail.isCommitting() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            String why = "the session's lock_timeout ended the wait for this lock, or for a lock that a write needs."
                    + " Nothing is stored; run the work again.";
            return request.cannot(LockNotAvailableException::new, why, e);
        }
        return ofStatement(request, tail.binds(), e);
    }

    /**
     * Returns the exception for an error of a statement; null if the error is about the statement itself. The caller
     * then gets the SQLException.
     */
    public static @Nullable RowlockException ofStatement(
            Description request, List<@Nullable Object> binds, SQLException e) {
        return ServerErrors.isLockTarget(request, binds, e) ? ofLock(request, e) : ofSession(request, e);
    }

    /** Returns the exception for an error of a lock statement; a plain RowlockException for an unknown error. */
    public static RowlockException ofLock(Description request, SQLException e) {
        RowlockException ofSession = ofSession(request, e);
        if (ofSession != null) {
            return ofSession;
        }
        String said = ServerErrors.message(e);
        String advice = TargetErrors.advice(SqlState.of(e));
        return advice == null
                ? request.cannot(RowlockException::new, said, e)
                : request.cannot(LockTargetException::new, said + ". " + advice + '.', e);
    }

    /** Returns the exception for an error of the caller's INSERT, for methods that declare no SQLException. */
    public static RowlockException ofInsert(Description request, SQLException e) {
        String why = "the INSERT of orInsert() failed: " + ServerErrors.message(e) + ". " + ABORTED + '.';
        return request.cannot(RowlockException::new, why, e);
    }

    /** Returns the exception for an error of a lock, the transaction or the connection; null for any other error. */
    private static @Nullable RowlockException ofSession(Description request, SQLException e) {
        String state = SqlState.of(e);
        String said = " (" + ServerErrors.message(e) + "). ";
        if (ServerErrors.isPreparedStatementMixedUp(e)) {
            return request.cannot(RowlockException::new, mixedUpStatements(e) + " Roll back.", e);
        }
        ServerErrorMessage server = ServerErrors.serverMessage(e);
        if (state.equals(SqlState.PROTOCOL_VIOLATION) && server != null) {
            String refused = "the server, or a pooler in front of it, refused" + said;
            return "FATAL".equals(server.getSeverity())
                    ? request.cannot(LockConnectionLostException::new, refused + GONE, e)
                    : request.cannot(RowlockException::new, refused + "Roll back.", e);
        }
        if (e.getCause() instanceof InterruptedIOException) {
            String unanswered = "the server did not answer within the requested wait and a grace period, or within the"
                    + " socketTimeout" + said + "The connection is closed, and the transaction ends when the server"
                    + " detects that. Run it again on another connection.";
            return request.cannot(LockConnectionLostException::new, unanswered, e);
        }
        if (ServerErrors.isConnectionLost(e)) {
            return request.cannot(LockConnectionLostException::new, "the connection was lost" + said + GONE, e);
        }
        return switch (state) {
            case SqlState.LOCK_NOT_AVAILABLE -> request.cannot(LockNotAvailableException::new, TIMED_OUT, e);
            case SqlState.DEADLOCK_DETECTED -> {
                String detail = ' ' + ServerErrors.detail(e);
                String advice = (request.isForUpdate() ? ", lock FOR_NO_KEY_UPDATE if references are inserted" : "")
                        + (request.strategy() == LockStrategy.ROW ? "" : ", or use strategy ROW");
                yield request.cannot(LockDeadlockException::new, DEADLOCK + advice + '.' + detail, e);
            }
            case SqlState.SERIALIZATION_FAILURE -> request.cannot(LockSerializationException::new, CHANGED, e);
            case SqlState.OUT_OF_MEMORY -> request.cannot(LockTableFullException::new, FULL + request.keys() + '.', e);
            case SqlState.QUERY_CANCELED ->
                request.cannot(LockCanceledException::new, CANCELED + said + ABORTED + '.', e);
            case SqlState.READ_ONLY_SQL_TRANSACTION -> readOnly(request, e);
            case SqlState.IN_FAILED_SQL_TRANSACTION -> request.cannot(LockTransactionException::new, FAILED, e);
            default -> null;
        };
    }

    /** Returns the exception for a refused lock. The transaction stays usable, unless the cause aborted it. */
    private static RowlockException refused(Description request, Outcome.Refused refused) {
        SQLException e = refused.cause();
        if (refused.isReadOnly()) {
            return readOnly(request, e);
        }
        String named = refused.table();
        String table = named.length() > 1 ? named.substring(1) : String.join(", ", request.tables());
        if (refused.isPrivilegeMissing()) {
            String denied = "permission denied for table " + table + ". " + TargetErrors.PRIVILEGES + '.';
            return request.cannot(LockTargetException::new, denied, SqlState.INSUFFICIENT_PRIVILEGE, e);
        }
        if (!named.isEmpty()) {
            String none = table + ' ' + TargetErrors.NO_TABLE;
            return request.cannot(LockTargetException::new, none, SqlState.WRONG_OBJECT_TYPE, e);
        }
        String why = "and a lock by keys alone would let it read from a snapshot older than the lock. Use strategy ROW"
                + " or BOTH for the table, where the server raises 40001 for a row that has changed, or use READ"
                + " COMMITTED.";
        return isolated(request, refused.isolation(), why, e);
    }

    /** Returns the exception for a row that is missing in the snapshot, but may have been inserted later. */
    public static RowlockException absentInSnapshot(Description request, String isolation) {
        String why = "and its snapshot has no such row: it may have been inserted since. Roll back and run the"
                + " transaction again, insert the row first, or use READ COMMITTED.";
        return isolated(request, isolation, why, null);
    }

    private static RowlockException isolated(
            Description request, String isolation, String why, @Nullable SQLException e) {
        String isolated = "the transaction is " + isolation + ", " + why;
        return request.cannot(LockTransactionException::new, isolated, SqlState.ACTIVE_SQL_TRANSACTION, e);
    }

    private static RowlockException readOnly(Description request, @Nullable SQLException e) {
        if (request.readOnlyBy() != null) {
            String passing = request.readOnlyBy() + ", as in a failover or maintenance. Roll back, and run the"
                    + " transaction again on another connection, once the primary accepts writes.";
            return request.cannot(LockConnectionLostException::new, passing, SqlState.READ_ONLY_SQL_TRANSACTION, e);
        }
        String why = "the transaction is read-only, and PostgreSQL refuses FOR UPDATE there too. Use a read-write"
                + " transaction. If the transaction is read-write, a pooler that splits reads has sent the statement to"
                + " a standby: call RowLocks.verify(), which reports the cause and the remedy.";
        return request.cannot(LockTransactionException::new, why, SqlState.READ_ONLY_SQL_TRANSACTION, e);
    }

    /** Returns the outcome of a failed call that could not be rolled back. */
    public static Outcome.Failed notUndone(Description request, boolean aborted, SQLException e, Throwable first) {
        String said = ServerErrors.message(e);
        boolean lost = SqlState.isConnectionLost(e.getSQLState());
        SQLException cause = lost || aborted ? e : new SQLException(said, SqlState.CONNECTION_DOES_NOT_EXIST, e);
        String undoing = "the failed call could not be undone (" + said + "). ";
        RowlockException exception = aborted && !lost
                ? request.cannot(RowlockException::new, undoing + ABORTED + '.', e)
                : request.cannot(LockConnectionLostException::new, undoing + GONE, cause);
        exception.addSuppressed(first);
        return new Outcome.Failed(cause, exception);
    }

    public static String mixedUpStatements(SQLException e) {
        return "the server does not have this client's prepared statements, or has another client's statements under"
                + " the same names ("
                + ServerErrors.message(e) + "). A pooler between client and server does not track prepared statements:"
                + " " + POOLER_ADVICE;
    }
}
