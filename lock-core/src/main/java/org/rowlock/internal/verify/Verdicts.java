package org.rowlock.internal.verify;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockVerificationException;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;

/** Creates the exceptions for the findings of a verification. */
final class Verdicts {
    private static final String FUNCTION_LISTS = "A pooler in between may treat lock functions as reads: Pgpool-II does"
            + " so if write_function_list (black_function_list) is set and does not name them, or if"
            + " read_only_function_list (white_function_list) names them. Leave both empty, or add"
            + " .*advisory.* to write_function_list.";

    private Verdicts() {}

    static LockVerificationException severalServers(Set<String> servers, @Nullable Exception cause) {
        boolean standby = servers.stream().anyMatch(server -> server.startsWith(Probe.STANDBY));
        return wrong(
                "The connections of this DataSource go to different servers " + servers + ", and "
                        + (standby
                                ? "a standby locks nothing. Connect to the primary alone, by targetServerType=primary"
                                        + " in the JDBC URL or by a pooler that connects only to the primary."
                                : "each of them has its own locks. Connect all to one server, or use strategy ROW if"
                                        + " each row is on only one server."),
                cause);
    }

    static LockVerificationException readElsewhere(LockKey key) {
        return wrong("The lock " + key
                + " was acquired on a server that can write, but a read after it in the same"
                + " transaction ran on one that cannot (a standby). A pooler in between sends reads"
                + " to that server, where they do not see what the last lock holder wrote. Switch its"
                + " read splitting off for this application (Pgpool-II: disable_load_balance_on_write ="
                + " 'transaction' or stricter, or load_balance_mode = off), or connect to the primary. "
                + FUNCTION_LISTS);
    }

    static LockVerificationException lockedElsewhere(LockKey key, Exception e) {
        return wrong(
                "The connection is to a server that can write, and the lock " + key
                        + " was sent to one that cannot (a standby), where it excludes no writer. "
                        + FUNCTION_LISTS,
                e);
    }

    static LockVerificationException wrong(String message, @Nullable Throwable cause) {
        return new LockVerificationException(message, null, cause);
    }

    static LockVerificationException wrong(String message) {
        return wrong(message, null);
    }

    /** Returns the exception for statements of one transaction that repeatedly ran in different sessions. */
    static LockVerificationException moved(Exception e) {
        return wrong(
                "Two statements of one transaction ran in two sessions, so a lock is gone before the next statement. A"
                        + " pooler in between assigns a session to each statement. Configure it by transaction or by"
                        + " session (Odyssey: pool \"transaction\"; PgBouncer: pool_mode = transaction), or connect to"
                        + " PostgreSQL itself.",
                e);
    }

    private static boolean isConnectionLost(Exception e) {
        return e instanceof LockConnectionLostException
                || (e instanceof SQLException sql && SqlState.isConnectionLost(sql.getSQLState()));
    }

    /**
     * Returns the exception for an error. Some errors show that a pooler is in statement mode or mixes up prepared
     * statements. Any other error means that the check could not be completed.
     */
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
        return new LockVerificationException(
                "Advisory locks could not be verified, which requires two connections at a time: " + e.getMessage()
                        + (isConnectionLost(e)
                                ? ". This proves nothing about the locks: the server is unavailable, or fails over. Try"
                                        + " again later, and check the server and its address."
                                : ". Check the server and that the pool has at least two connections."),
                SqlState.CONNECTION_NOT_ESTABLISHED,
                e);
    }
}
