package org.rowlock.internal.verify;

import java.io.InterruptedIOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockVerificationException;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

/** What an error says of a DataSource that is verified: refused, not tried, or to be tried again. */
final class Verdicts {
    private Verdicts() {}

    /** The exception for a DataSource whose locks exclude nobody. */
    static LockVerificationException wrong(String message, @Nullable Throwable cause) {
        return Exceptions.verification(message, true, cause);
    }

    static LockVerificationException wrong(String message) {
        return wrong(message, null);
    }

    static boolean isConnectionLost(Exception e) {
        return e instanceof LockConnectionLostException
                || (e instanceof SQLException sql && SqlState.isConnectionLost(sql.getSQLState()));
    }

    /** By a server that hangs. */
    static boolean isTimedOut(Throwable e) {
        Throwable cause = e;
        while (cause != null && !(cause instanceof InterruptedIOException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** What a pooler says of itself, or does to prepared statements; null for anything else. */
    static @Nullable LockVerificationException refusedByPooler(Exception e) {
        SQLException sql =
                e instanceof SQLException own ? own : e.getCause() instanceof SQLException cause ? cause : null;
        if (sql == null) {
            return null;
        }
        if (ServerErrors.isPreparedStatementMixedUp(sql)) {
            return wrong("Statements fail through this DataSource: " + LockErrors.mixedUpStatements(sql), sql);
        }
        String message = String.valueOf(sql.getMessage());
        if (message.contains("statement pooling mode")) {
            return wrong(
                    "The pooler allows no transactions (" + message
                            + "), and a lock lasts as long as its transaction."
                            + " Set pool_mode = transaction, or session, in PgBouncer.",
                    sql);
        }
        return null;
    }

    static LockVerificationException notTried(Exception e) {
        boolean lost = isConnectionLost(e);
        return Exceptions.verification(
                "Advisory locks could not be verified, which takes two connections at a time: " + e.getMessage()
                        + (lost
                                ? ". That says nothing about the locks: the server is not there, or fails over. Try"
                                        + " again when it is. Check the server and its address."
                                : ". Check the server and that the pool has at least two connections."),
                false,
                e);
    }
}
