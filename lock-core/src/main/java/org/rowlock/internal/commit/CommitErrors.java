package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.RowlockException;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;

/**
 * Determines after a failure whether a transaction is stored, is not stored, or has an unknown outcome. Returns the
 * exception for the outcome.
 *
 * @param keys the keys that were locked for the work, for messages; empty if they are unknown
 */
public record CommitErrors(List<LockKey> keys) {
    static final String SENT_THROUGH = "the pool or proxy that sent its COMMIT";

    /** An exception that exists in advance, in case the memory does not suffice for a more specific exception. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    static final CommitOutcomeUnknownException WITHOUT_ROOM = new CommitOutcomeUnknownException(
            "It is not known whether the work of the transaction is stored: the stack or the heap was full during the"
                    + " commit. Check whether it is stored before you run it again, because it could be done twice.",
            SqlState.TRANSACTION_RESOLUTION_UNKNOWN,
            null);

    static {
        // The stack trace would show only the initialization of this class.
        WITHOUT_ROOM.setStackTrace(new StackTraceElement[0]);
    }

    CommitNotConfirmedException notConfirmed(SQLException ended) {
        return new CommitNotConfirmedException(
                "It is not known whether " + work() + " is durable: it has committed on this server and is visible, but"
                        + " the wait for the disk and the standby was ended (" + ServerErrors.message(ended)
                        + "). A crash or a failover can still lose it. Do not run it again; check whether the standby"
                        + " has it.",
                SqlState.COMMIT_NOT_CONFIRMED,
                ended);
    }

    private String work() {
        return keys.isEmpty()
                ? "the work of the transaction"
                : "the work under the lock of " + keys.get(0)
                        + (keys.size() > 1 ? " and " + (keys.size() - 1) + " more" : "");
    }

    private String nothing(String why) {
        return "Nothing of " + work() + " is stored: " + why;
    }

    /** Returns the session of a connection. Refuses an aborted transaction, and a lost connection. */
    PgSession usable(Connection connection, @Nullable PgSession known) throws SQLException {
        if (connection.isClosed()) {
            throw undone(new SQLException("The connection is closed", SqlState.CONNECTION_DOES_NOT_EXIST));
        }
        PgSession session = known == null ? PgSession.of(connection) : known;
        refuseAborted(session);
        return session;
    }

    void refuseAborted(PgSession session) {
        if (!session.isAborted()) {
            return;
        }
        SQLException first = firstError(session);
        throw new LockTransactionException(
                nothing("a statement in it failed" + (first == null ? "" : " (" + ServerErrors.message(first) + ")")
                        + " and the work continued, but PostgreSQL had aborted the transaction and would have answered"
                        + " COMMIT with a rollback. The transaction is rolled back. Let the work rethrow the exceptions"
                        + " of its statements, or set a savepoint before a statement that may fail."),
                SqlState.IN_FAILED_SQL_TRANSACTION,
                first);
    }

    /** Returns the first error of an aborted transaction, which the driver adds as the cause of later errors. */
    private static @Nullable SQLException firstError(PgSession session) {
        try {
            session.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : null;
        }
    }

    /** Returns an exception after which nothing is stored. If the connection was lost, throws Rowlock's exception. */
    public SQLException undone(SQLException e) {
        if (ServerErrors.isConnectionLost(e)) {
            String why = "its connection was lost or closed before the commit (" + ServerErrors.message(e) + ").";
            throw new LockConnectionLostException(nothing(why), e.getSQLState(), e);
        }
        return e;
    }

    SQLException ofRule(SQLException e) {
        String why = "a write with expectRows changes a table that has a rule (CREATE RULE), and the server cannot"
                + " count the rows of such a write (" + ServerErrors.message(e)
                + "). Run that write in the work and check its count, leave out expectRows,"
                + " or replace the rule by a trigger.";
        return new SQLException(nothing(why), e.getSQLState(), e);
    }

    /**
     * Returns the exception for a failed COMMIT, which was sent alone or in a flush. If the server has not answered,
     * the outcome is unknown. If the server has answered with an error, the error may come from a statement after the
     * COMMIT.
     *
     * @return the driver's own exception, if nothing is stored and Rowlock has no exception for the cause
     */
    SQLException failure(PgSession session, Ending ending, SQLException e) throws SQLException {
        if (isRefusedInBranch(session, e) || SqlState.isIdleTimeout(e.getSQLState())) {
            return e;
        }
        boolean mixedUp = ServerErrors.isPreparedStatementMixedUp(e);
        SQLException unanswered = mixedUp ? null : unanswered(session, e);
        if (unanswered != null) {
            boolean lost = SqlState.isConnectionLost(unanswered.getSQLState());
            if (!lost
                    && !ServerErrors.isDrivers(unanswered)
                    && !session.connection().isClosed()) {
                // A pool or a proxy has thrown the exception. An open transaction shows that the COMMIT was not sent.
                if (session.hasBegun()) {
                    return e;
                }
                throw unknownOf(SENT_THROUGH, e);
            }
            String why = lost
                    ? "the connection was lost while it committed"
                    : "the driver did not read the answer to its COMMIT";
            throw unknownAtServer(session, why, unanswered, e);
        }
        Ending.Fate fate = ending.fate(session, e);
        if (fate == Ending.Fate.DONE) {
            throw notConfirmed(e);
        }
        if (fate == Ending.Fate.UNKNOWN) {
            String why = "the server's answer does not say whether the COMMIT failed, or only the wait until the commit"
                    + " is durable";
            throw unknownAtServer(session, why, e, e);
        }
        if (mixedUp) {
            String why = "COMMIT failed, because " + LockErrors.mixedUpStatements(e);
            throw new RowlockException(nothing(why), e.getSQLState(), e);
        }
        return e;
    }

    /** Whether the driver's commit() has refused to commit a branch of an XA transaction. */
    static boolean isRefusedInBranch(PgSession session, SQLException e) {
        return SqlState.OBJECT_NOT_IN_STATE.equals(e.getSQLState()) && session.isOfXa() && ServerErrors.isDrivers(e);
    }

    /** Tries to end the transaction at the server, and returns the exception for an unknown outcome. */
    private CommitOutcomeUnknownException unknownAtServer(
            PgSession session, String why, SQLException of, SQLException e) {
        boolean mayRunOn = ServerErrors.mayRunOn(of);
        if (mayRunOn) {
            LostCommits.end(session, e);
        }
        String more = mayRunOn
                ? " Check in a transaction that has locked the same keys. A missing change may still be stored later,"
                        + " as long as the server process of this session (" + session.serverProcess()
                        + " without a pooler) is in pg_stat_activity. Rowlock has tried to end that process."
                : " The server has ended the transaction, so the result of the check is final.";
        return unknown(why + " (" + ServerErrors.message(of) + ')', more, e);
    }

    /**
     * Returns the exception for a failure that occurred after the COMMIT was sent, or possibly sent.
     *
     * @param e the failure; its getMessage() is not called, because it may be code of the application and may fail
     */
    public CommitOutcomeUnknownException unknownOf(String failed, Throwable e) {
        return unknown(failed + " failed (" + e.getClass().getName() + ')', "", e);
    }

    /**
     * Returns the exception for an unknown outcome. Some callers check only the SQLSTATE of the cause, so this SQLSTATE
     * must not suggest a rollback.
     */
    private CommitOutcomeUnknownException unknown(String why, String more, Throwable e) {
        String message = "It is not known whether " + work() + " is stored: " + why
                + ". Check whether it is stored before you run it again, because it could be done twice." + more;
        boolean lost = e instanceof SQLException sql
                && SqlState.isConnectionLost(sql.getSQLState())
                && !SqlState.TRANSACTION_TIMEOUT.equals(sql.getSQLState())
                && !SqlState.CONNECTED_ANEW.equals(sql.getSQLState());
        SQLException cause =
                lost ? (SQLException) e : new SQLException(message, SqlState.TRANSACTION_RESOLUTION_UNKNOWN, e);
        return new CommitOutcomeUnknownException(message, cause.getSQLState(), cause);
    }

    /**
     * Returns the error that leaves the outcome unknown; null if the server has answered. A closed connection proves
     * nothing, because pools close working connections after some errors. An exception of the driver may hide the
     * server's answer, unless the driver reports that COMMIT was answered with ROLLBACK. The server has answered if it
     * reported an error and the session is still usable. Even an SQLSTATE of a lost connection is then an answer: the
     * server may have lost a connection to another server.
     */
    private static @Nullable SQLException unanswered(PgSession session, SQLException e) throws SQLException {
        boolean answered = ServerErrors.isServers(e) && session.isAlive();
        for (SQLException each = e; each != null; each = each.getNextException()) {
            if ((SqlState.isConnectionLost(each.getSQLState()) && !answered)
                    || SqlState.TRANSACTION_RESOLUTION_UNKNOWN.equals(each.getSQLState())
                    || SqlState.STATEMENT_COMPLETION_UNKNOWN.equals(each.getSQLState())) {
                return each;
            }
        }
        return ServerErrors.isServers(e) || SqlState.IN_FAILED_SQL_TRANSACTION.equals(e.getSQLState()) ? null : e;
    }

    /**
     * Returns the exception for a transaction that is still open after its COMMIT. A pooler has run another statement
     * instead of the COMMIT. The same could happen to a ROLLBACK, so Rowlock closes the session.
     */
    RowlockException notEnded(PgSession session) {
        String why = "the server received COMMIT, and the transaction is still open. A pooler gives prepared"
                + " statements of one client to another: ";
        RowlockException failure = new RowlockException(nothing(why + LockErrors.POOLER_ADVICE), null, null);
        session.kill(failure);
        return failure;
    }
}
