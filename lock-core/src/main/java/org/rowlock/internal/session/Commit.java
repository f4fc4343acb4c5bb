package org.rowlock.internal.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.text.SqlState;

/**
 * COMMIT, and what became of it. The driver's commit() returns normally in cases where nothing is stored: the server
 * answers COMMIT of an aborted transaction with ROLLBACK, and a pooler may have run another client's statement instead.
 * What the driver knows of the transaction, without a round trip, tells.
 */
public final class Commit {
    private Commit() {}

    /**
     * Commits.
     *
     * @param keys what the work was done under, for messages
     * @param names how these name keys
     * @throws CommitOutcomeUnknownException if it cannot be told whether the transaction has committed for good
     * @throws LockException if it has not, for a reason that is known
     * @throws SQLException if it has not, for a reason of the work's own, such as a deferred constraint
     */
    public static void run(Connection connection, List<LockKey> keys, KeyNames names) throws SQLException {
        if (connection.isClosed()) {
            throw new LockConnectionLostException(
                    "Nothing of " + work(keys, names) + " is stored: its connection was lost or closed before the"
                            + " commit was sent. The transaction and its locks are gone.",
                    new SQLException("The connection is closed", SqlState.CONNECTION_DOES_NOT_EXIST));
        }
        PgSession session = PgSession.of(connection);
        if (session.isAborted()) {
            throw aborted(session, keys, names);
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failure(connection, keys, names, e);
        }
        if (session.hasBegun()) {
            throw notEnded(session, keys, names);
        }
        SQLException warning = session.takeReplicationWarning();
        if (warning != null) {
            throw new CommitOutcomeUnknownException(
                    "Committed on this server and visible is " + work(keys, names) + ", but the wait for its standby"
                            + " was ended (" + message(names, warning)
                            + "): it is lost if the server fails over before it is replicated. Do not run it again;"
                            + " look whether the standby has it.",
                    warning);
        }
    }

    private static String work(List<LockKey> keys, KeyNames names) {
        return "the work under the lock of " + names.of(keys.get(0))
                + (keys.size() > 1 ? " and " + (keys.size() - 1) + " more" : "");
    }

    private static String message(KeyNames names, SQLException e) {
        return LockErrors.message(names, e, String.valueOf(e.getMessage()));
    }

    private static LockTransactionException aborted(PgSession session, List<LockKey> keys, KeyNames names) {
        SQLException first = firstError(session);
        return new LockTransactionException(
                Reason.ABORTED,
                "Nothing of " + work(keys, names) + " is stored: a statement in it failed"
                        + (first == null ? "" : " (" + message(names, first) + ")")
                        + " and the work went on, but PostgreSQL had aborted the transaction and would have answered"
                        + " COMMIT with a rollback. It is rolled back. Let the work throw what its statements throw, or"
                        + " put a savepoint around the statement that may fail.",
                SqlState.IN_FAILED_SQL_TRANSACTION,
                first);
    }

    /** The driver keeps the first error of a transaction, and gives it as the cause of any that follows. */
    private static @Nullable SQLException firstError(PgSession session) {
        try {
            session.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : null;
        }
    }

    private static SQLException failure(Connection connection, List<LockKey> keys, KeyNames names, SQLException e)
            throws SQLException {
        String state = SqlState.of(e);
        if (ServerErrors.isPreparedStatementMixedUp(e)) {
            throw new LockException(
                    "Nothing of " + work(keys, names) + " is stored: COMMIT failed, as "
                            + LockErrors.mixedUpStatements(e),
                    e);
        }
        if (state.equals(SqlState.IDLE_IN_TRANSACTION_TIMEOUT)) {
            throw new LockConnectionLostException(
                    "Nothing of " + work(keys, names) + " is stored: the server had ended the transaction before the"
                            + " commit, as it was idle for too long (" + message(names, e) + ").",
                    e);
        }
        if (SqlState.isConnectionLost(state)
                || state.equals(SqlState.STATEMENT_COMPLETION_UNKNOWN)
                || connection.isClosed()) {
            throw new CommitOutcomeUnknownException(
                    "It is not known whether " + work(keys, names) + " is stored: the connection was lost while it"
                            + " committed (" + message(names, e)
                            + "). Do not run it again before you have looked: done twice is worse than done late.",
                    e);
        }
        return e;
    }

    /** What was run in place of COMMIT cannot be told, so the session is ended rather than rolled back. */
    private static LockException notEnded(PgSession session, List<LockKey> keys, KeyNames names) {
        LockException failure = new LockException(
                "Nothing of " + work(keys, names) + " is stored: the server was told to commit, and the transaction"
                        + " is still open. A pooler gives prepared statements of one client to another: "
                        + LockErrors.POOLER_ADVICE,
                null,
                null);
        try {
            session.kill();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }
}
