package org.rowlock.internal.session;

import java.io.InterruptedIOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockSerializationException;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

/** From SQLSTATE, or from what a guard saw, to the exception that says what was asked, why not, and what to do. */
public final class LockErrors {
    private static final String GONE = "The transaction and its locks are gone; run it again on another connection.";

    private LockErrors() {}

    /** The exception for a failure of the lock itself; a plain RowlockException if Rowlock does not understand it. */
    public static RowlockException translate(Asked asked, SQLException e) {
        RowlockException understood = understood(asked, e);
        if (understood != null) {
            return understood;
        }
        String state = SqlState.of(e);
        String advice = TargetErrors.advice(state);
        return advice == null
                ? Exceptions.other(cannot(asked) + message(asked, e), e)
                : Exceptions.target(cannot(asked) + message(asked, e) + ". " + advice + '.', state, e);
    }

    /** What to do where a pooler mixes up prepared statements. */
    public static final String POOLER_ADVICE =
            "set max_prepared_statements in PgBouncer 1.21 or newer, or" + " prepareThreshold=0 in the JDBC URL.";

    public static String mixedUpStatements(SQLException e) {
        return "the server does not have this client's prepared statements, or has another's under their names ("
                + ServerErrors.message(e) + "). A pooler between them keeps no account of them: " + POOLER_ADVICE;
    }

    /** The exception for what only a lock, the transaction or the connection can cause; null for anything else. */
    public static @Nullable RowlockException understood(Asked asked, SQLException e) {
        String state = SqlState.of(e);
        if (ServerErrors.isPreparedStatementMixedUp(e)) {
            return Exceptions.other(cannot(asked) + mixedUpStatements(e) + " Roll back.", e);
        }
        ServerErrorMessage server = ServerErrors.serverMessage(e);
        if (state.equals(SqlState.PROTOCOL_VIOLATION) && server != null) {
            String refused =
                    cannot(asked) + "the server, or a pooler in front of it, refused (" + message(asked, e) + "). ";
            return "FATAL".equals(server.getSeverity())
                    ? Exceptions.connectionLost(
                            refused + "It has ended the session; the transaction and its locks are gone.", e)
                    : Exceptions.other(refused + "Roll back.", e);
        }
        if (e.getCause() instanceof InterruptedIOException) {
            return Exceptions.connectionLost(
                    cannot(asked)
                            + "the server gave no answer within the bound of the wait and a grace, or within the"
                            + " socketTimeout (" + message(asked, e)
                            + "). The connection is closed; the transaction ends when the server notices. Run it again"
                            + " on another connection.",
                    e);
        }
        if (SqlState.isConnectionLost(state)) {
            return Exceptions.connectionLost(
                    cannot(asked) + "the connection was lost (" + message(asked, e) + "). " + GONE, e);
        }
        return switch (state) {
            case SqlState.LOCK_NOT_AVAILABLE -> timedOut(asked, false, e);
            case SqlState.DEADLOCK_DETECTED ->
                Exceptions.deadlock(
                        cannot(asked)
                                + "a deadlock was found and this transaction chosen to end. Roll back and run it"
                                + " again; one request for all keys avoids it. If one of them had written or locked"
                                + " the row, or inserted one that references it, before it locked the key: lock before"
                                + " you write, or use strategy ROW."
                                + (asked.names() == KeyNames.WITH_IDS ? ' ' + ServerErrors.detail(e) : ""),
                        e);
            case SqlState.SERIALIZATION_FAILURE ->
                Exceptions.serialization(
                        cannot(asked)
                                + "the row has changed since the transaction's snapshot. Roll back and run the"
                                + " transaction again.",
                        e);
            case SqlState.OUT_OF_MEMORY ->
                Exceptions.tableFull(
                        cannot(asked) + "the server's lock table is full; the call asked for "
                                + asked.keys() + " distinct keys. Raise max_locks_per_transaction or"
                                + " max_connections, or lock fewer keys in one transaction.",
                        e);
            case SqlState.QUERY_CANCELED ->
                Exceptions.canceled(
                        cannot(asked) + "the wait was ended from outside (" + message(asked, e)
                                + "). The transaction is aborted; roll back.",
                        e);
            case SqlState.READ_ONLY_SQL_TRANSACTION -> readOnly(asked, e);
            case SqlState.IN_FAILED_SQL_TRANSACTION ->
                Exceptions.transaction(
                        Reason.ABORTED,
                        cannot(asked) + "an earlier statement of the transaction failed; roll back first.",
                        state,
                        e);
            default -> null;
        };
    }

    /** The exception for a guard that refused. The transaction is as usable as it was, unless {@code e} aborted it. */
    public static RowlockException refused(Asked asked, Guard guard, @Nullable SQLException e) {
        if (guard.isReadOnly()) {
            return readOnly(asked, e);
        }
        if (guard.isPrivilegeMissing()) {
            return Exceptions.target(
                    cannot(asked) + "permission denied for table " + tableOf(asked, guard) + ". "
                            + TargetErrors.PRIVILEGES + '.',
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    e);
        }
        if (guard.isTableRefused()) {
            return Exceptions.target(
                    cannot(asked) + tableOf(asked, guard) + ' ' + TargetErrors.NO_TABLE, SqlState.WRONG_OBJECT_TYPE, e);
        }
        return Exceptions.transaction(
                Reason.ISOLATION,
                cannot(asked) + "the transaction is " + guard.isolation()
                        + " and has already begun, so it would read"
                        + " from a snapshot older than the lock. Take the lock before anything else in the transaction"
                        + " (and set its level with Connection.setTransactionIsolation, not by a statement),"
                        + " use READ COMMITTED, or use strategy BOTH or ROW, where the server raises 40001 for a stale"
                        + " row.",
                null,
                e);
    }

    private static RowlockException readOnly(Asked asked, @Nullable SQLException e) {
        return Exceptions.transaction(
                Reason.READ_ONLY,
                cannot(asked)
                        + (asked.hotStandby()
                                ? "the server is a hot standby, whose locks exclude nobody on the primary. Connect"
                                        + " to the primary."
                                : "the transaction is read-only, where FOR UPDATE is refused too. Use a read-write"
                                        + " transaction. If it is one, a pooler that splits reads has sent the"
                                        + " statement to a standby: RowLocks.verify() says so, and what to do."),
                SqlState.READ_ONLY_SQL_TRANSACTION,
                e);
    }

    /** The exception for a row that a stale snapshot may only not see: the key may have been inserted since. */
    public static RowlockException absentInSnapshot(Asked asked, Guard guard) {
        return Exceptions.transaction(
                Reason.ISOLATION,
                cannot(asked) + "the transaction is " + guard.isolation()
                        + " and has already begun, and its snapshot"
                        + " has no such row: it may have been inserted since. Roll back, and take the lock before"
                        + " anything else in the transaction, or use READ COMMITTED.");
    }

    /** What became of a flush, as an exception. */
    public static RowlockException of(Asked asked, Outcome outcome) throws SQLException {
        if (outcome instanceof Outcome.Taken taken) {
            return notAvailable(asked, taken.mayBeOfTail(), taken.cause());
        }
        if (outcome instanceof Outcome.Stale stale) {
            return TargetErrors.stale(asked, stale.undone());
        }
        if (outcome instanceof Outcome.Refused refused) {
            return refused(asked, refused.guard(), refused.cause());
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
     * What an error of a flush means for the lock; null where it is about the caller's own statements.
     *
     * @param tail what is behind the locks
     * @throws IllegalArgumentException if the driver does not send the tail with these values
     */
    public static @Nullable RowlockException meaning(Asked asked, @Nullable Tail tail, SQLException e) {
        if (tail == null) {
            return translate(asked, e);
        }
        if (ServerErrors.isDriverRefusal(e)) {
            throw new IllegalArgumentException(
                    "The SQL of the query does not fit its " + tail.binds().size() + " bind values: " + tail.sql()
                            + ". Give one value per parameter; nothing was locked.",
                    e);
        }
        if (tail.isCommitting() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return timedOut(asked, true, e);
        }
        return ServerErrors.isLockTarget(asked, tail.binds(), e) ? translate(asked, e) : understood(asked, e);
    }

    /** A call that failed and could not be undone: whatever failed first, the transaction is gone. */
    public static Outcome.Failed notUndone(Asked asked, boolean aborted, SQLException e, @Nullable Throwable first) {
        boolean lost = SqlState.isConnectionLost(e.getSQLState());
        SQLException cause =
                lost || aborted ? e : new SQLException(message(asked, e), SqlState.CONNECTION_DOES_NOT_EXIST, e);
        RowlockException exception = aborted && !lost
                ? Exceptions.other(
                        cannot(asked) + "the failed call could not be undone (" + message(asked, e)
                                + "). The transaction is aborted; roll back.",
                        e)
                : Exceptions.connectionLost(
                        cannot(asked) + "the connection was lost while a failed call was undone (" + message(asked, e)
                                + "). " + GONE,
                        cause);
        if (first != null) {
            exception.addSuppressed(first);
        }
        return new Outcome.Failed(cause, exception);
    }

    /**
     * The exception for a row that was inserted while the call found none, so that the query saw it without its lock.
     */
    public static LockSerializationException replaced(Asked asked) {
        return Exceptions.serialization(
                cannot(asked)
                        + "the row was inserted while the call waited, say in place of one that was deleted, and"
                        + " the query behind the lock ran without a lock on it. The transaction is aborted; roll back"
                        + " and run it again.",
                null);
    }

    /**
     * The exception for a lock_timeout of the session's own.
     *
     * @param hasWrites whether it may have ended the wait of a write behind the lock as well
     */
    private static LockNotAvailableException timedOut(Asked asked, boolean hasWrites, SQLException e) {
        return Exceptions.notAvailable(
                cannot(asked) + "the session's lock_timeout ended the wait"
                        + (hasWrites
                                ? " for it, or for what a write behind it needs. Nothing is stored; run it again."
                                : ". The transaction is aborted; roll back, or use LockWait.atMost(), which keeps it"
                                        + " usable."),
                false,
                e);
    }

    private static LockNotAvailableException notAvailable(Asked asked, boolean hasQuery, @Nullable Throwable cause) {
        return Exceptions.notAvailable(
                cannot(asked) + "another transaction holds " + (asked.keys() > 1 ? "one of them" : "it")
                        + (hasQuery
                                ? ", or what the query behind the lock waited for longer than the lock_timeout"
                                : "")
                        + ". Nothing is newly held and the transaction is usable; try later, or wait longer.",
                true,
                cause);
    }

    static String cannot(Asked asked) {
        return "Cannot lock " + asked.what() + ": ";
    }

    private static String tableOf(Asked asked, Guard guard) {
        return guard.table().length() > 1 ? guard.table().substring(1) : String.valueOf(asked.table());
    }

    private static String message(Asked asked, SQLException e) {
        return message(asked.names(), e, ServerErrors.message(e));
    }

    /** A message, or the SQLSTATE where it is the server's, which may quote an id, and ids are not to be named. */
    public static String message(KeyNames names, SQLException e, String message) {
        return names == KeyNames.WITH_IDS || ServerErrors.serverMessage(e) == null
                ? message
                : "SQLSTATE " + e.getSQLState();
    }
}
