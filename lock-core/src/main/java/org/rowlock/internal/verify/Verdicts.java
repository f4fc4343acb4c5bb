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
        return Exceptions.of(LockVerificationException.class, message, null, cause);
    }

    static LockVerificationException wrong(String message) {
        return wrong(message, null);
    }

    private static boolean isConnectionLost(Exception e) {
        return e instanceof LockConnectionLostException
                || (e instanceof SQLException sql && SqlState.isConnectionLost(sql.getSQLState()));
    }

    /** Not by a server that hangs, which would take as long again. */
    static boolean isWorthAnotherTry(Exception e) {
        Throwable cause = e;
        while (cause != null && !(cause instanceof InterruptedIOException)) {
            cause = cause.getCause();
        }
        return cause == null && isConnectionLost(e);
    }

    /** Of what a pooler says of itself, or does to prepared statements, that it refuses; else that nothing ran. */
    static LockVerificationException of(Exception e) {
        SQLException sql =
                e instanceof SQLException own ? own : e.getCause() instanceof SQLException cause ? cause : null;
        if (sql != null && ServerErrors.isPreparedStatementMixedUp(sql)) {
            return wrong("Statements fail through this DataSource: " + LockErrors.mixedUpStatements(sql), sql);
        }
        if (sql != null && String.valueOf(sql.getMessage()).contains("statement pooling mode")) {
            return wrong(
                    "The pooler allows no transactions (" + sql.getMessage()
                            + "), and a lock lasts as long as its transaction."
                            + " Set pool_mode = transaction, or session, in PgBouncer.",
                    sql);
        }
        return Exceptions.of(
                LockVerificationException.class,
                "Advisory locks could not be verified, which takes two connections at a time: " + e.getMessage()
                        + (isConnectionLost(e)
                                ? ". That says nothing about the locks: the server is not there, or fails over. Try"
                                        + " again when it is. Check the server and its address."
                                : ". Check the server and that the pool has at least two connections."),
                SqlState.CONNECTION_NOT_ESTABLISHED,
                e);
    }
}
