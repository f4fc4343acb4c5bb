package org.rowlock.internal.session;

import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLWarning;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.sql.LockCheckSql;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteForm.WrongCount;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;

/**
 * Determines the cause of an error of the server or the driver from the SQLSTATE and the fields of the error. Uses the
 * text of the error only if the SQLSTATE and the fields do not suffice.
 */
public final class ServerErrors {
    /**
     * Matches the name of a lock mode. PostgreSQL 19 adds a line about the awaited lock to errors. The names of lock
     * modes are the same in every language.
     */
    private static final Pattern LOCK = Pattern.compile("(Share|Exclusive)Lock\\b");

    private ServerErrors() {}

    /** Whether a pooler that does not track prepared statements has mixed them up. */
    public static boolean isPreparedStatementMixedUp(SQLException e) {
        return switch (SqlState.of(e)) {
            case SqlState.INVALID_SQL_STATEMENT_NAME, SqlState.DUPLICATE_PREPARED_STATEMENT -> true;
            // PostgreSQL raises this error if another client's prepared statement has the same name and a different
            // number of parameters.
            case SqlState.PROTOCOL_VIOLATION -> isRaisedIn("exec_bind_message", e);
            default -> false;
        };
    }

    /** Whether the driver refused parameters that do not fit the caller's SQL. */
    public static boolean isDriverRefusal(SQLException e) {
        return SqlState.INVALID_PARAMETER_VALUE.equals(e.getSQLState()) && !isServers(e);
    }

    /** Whether the error was sent by the server. Other errors come from the driver, a pool or a proxy. */
    public static boolean isServers(SQLException e) {
        return serverMessage(e) != null;
    }

    /**
     * Whether this connection was lost. An error with the SQLSTATE of a lost connection may also concern another
     * connection. For example, for a foreign table the server connects to another server. The severity is in the
     * language of the server.
     */
    public static boolean isConnectionLost(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        boolean goesOn = server != null
                && (SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                        ? !"FATAL".equals(server.getSeverity())
                        : "ERROR".equals(server.getSeverity()));
        return SqlState.isConnectionLost(e.getSQLState()) && !goesOn;
    }

    /**
     * Whether the statement may still be running at the server. Only an error that the server process has raised proves
     * that the statement has ended.
     */
    public static boolean mayRunOn(SQLException e) {
        return !isServers(e)
                || SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                // A pooler may send this error although the statement still runs at the server.
                || (SqlState.ADMIN_SHUTDOWN.equals(e.getSQLState()) && !isOfProcessInterrupts(e));
    }

    /**
     * Whether the server function ProcessInterrupts has raised the error. This function raises the errors of timeouts
     * and cancels, but not the error of NOWAIT.
     */
    public static boolean isOfProcessInterrupts(SQLException e) {
        return isRaisedIn("ProcessInterrupts", e);
    }

    /**
     * Whether a wait for a row of the given table has timed out. Returns false for an error that names another table,
     * because a foreign key may cause a wait for a row of that table.
     */
    public static boolean isTimeoutIn(String table, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        boolean timeout =
                SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState()) || SqlState.QUERY_CANCELED.equals(e.getSQLState());
        if (server == null || !timeout) {
            return false;
        }
        String where = server.getWhere() == null ? "" : server.getWhere();
        List<String> places =
                where.lines().filter(line -> !LOCK.matcher(line).find()).toList();
        List<String> parts = TableName.parts(table);
        return places.isEmpty()
                || (places.size() == 1
                        && places.get(0).matches(".*\\W" + Pattern.quote(parts.get(parts.size() - 1)) + "\\W.*"));
    }

    /** Copies an error of the server for another caller, because callers may modify exceptions. */
    public static SQLException copy(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server == null ? e : new PSQLException(server);
    }

    private static boolean isRaisedIn(String routine, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server != null && routine.equals(server.getRoutine());
    }

    /**
     * Whether a front lock may have caused the error. If so, {@link FrontSql#undoes} decides whether the front lock was
     * the cause.
     */
    public static boolean mayBeOfFront(SQLException e) {
        return switch (SqlState.of(e)) {
            case SqlState.LOCK_NOT_AVAILABLE,
                    SqlState.DEADLOCK_DETECTED,
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    SqlState.OUT_OF_MEMORY -> true;
            default -> false;
        };
    }

    /**
     * Whether the error may be different if the statement is sent without a front lock. The driver sends a single
     * statement again if its plan is stale, but not a flush. The position of an error in the conditions is a position
     * in the query for the row.
     */
    public static boolean isOfText(SQLException e) {
        String state = SqlState.of(e);
        return state.startsWith(SqlState.SYNTAX_CLASS)
                || SqlState.FEATURE_NOT_SUPPORTED.equals(state)
                || SqlState.INVALID_SQL_STATEMENT_NAME.equals(state);
    }

    /**
     * Whether the error may be a cancel that arrived during the commit. The server reports such a cancel after the
     * commit, and names no function or table.
     */
    public static boolean mayBeBehindCommit(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return SqlState.QUERY_CANCELED.equals(e.getSQLState())
                && isOfProcessInterrupts(e)
                && server != null
                && server.getWhere() == null;
    }

    /** Whether the driver itself created the exception. */
    public static boolean isDrivers(SQLException e) {
        return e instanceof PSQLException postgres && postgres.getServerErrorMessage() == null;
    }

    /** Returns the wrong number of changed rows that the error reports; null for any other error. */
    public static @Nullable WrongCount wrongCountIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? WriteForm.wrongCountIn(message(e)) : null;
    }

    /** Whether a statement in a WITH clause failed because of a rule (CREATE RULE). */
    public static boolean isOfRule(SQLException e) {
        return SqlState.FEATURE_NOT_SUPPORTED.equals(e.getSQLState()) && isRaisedIn("RewriteQuery", e);
    }

    /** Returns the outcome of the check that raised the error; null for any other error. */
    public static @Nullable Outcome outcomeIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? LockCheckSql.outcomeIn(message(e)) : null;
    }

    /**
     * Whether an error is about the table or the id of the lock, and not about the caller's query in the same round
     * trip. Such an error names the table or quotes the id. A quoted id proves nothing if a bind value of the query
     * equals the id.
     */
    public static boolean isLockTarget(Description request, List<@Nullable Object> binds, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        String message = server == null ? null : server.getMessage();
        // A lock writes no rows, so an error of a row security policy for written rows is not about the lock.
        if (server == null || message == null || isOfRule(e) || isRaisedIn("ExecWithCheckOptions", e)) {
            return false;
        }
        return switch (SqlState.of(e)) {
            case SqlState.UNDEFINED_TABLE, SqlState.INVALID_NAME ->
                request.tables().stream().anyMatch(table -> names(message, table));
            case SqlState.INVALID_SCHEMA_NAME,
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    SqlState.WRONG_OBJECT_TYPE,
                    SqlState.FEATURE_NOT_SUPPORTED ->
                request.tables().stream()
                        .anyMatch(table -> names(message, table)
                                || TableName.parts(table).stream().anyMatch(part -> names(message, part)));
            default ->
                SqlState.of(e).startsWith(SqlState.DATA_EXCEPTION_CLASS)
                        && server.getPosition() == 0
                        && request.ids().stream()
                                .anyMatch(part -> message.contains('"' + part + '"')
                                        && binds.stream().noneMatch(bind -> part.equals(String.valueOf(bind))));
        };
    }

    /** Whether a message contains a name in quotes or at its end, as in "permission denied for table account". */
    private static boolean names(String message, String name) {
        String plain = String.join(".", TableName.parts(name));
        return message.contains('"' + plain + '"') || message.endsWith(' ' + plain);
    }

    /**
     * Returns the server's warning that a commit did not wait for the standby; null if there is none. The warning is
     * recognized by the server function that raised it, because the SQLSTATE is not specific and the text may be in any
     * language.
     */
    public static @Nullable SQLWarning replicationWarning(@Nullable SQLWarning first) {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (warning instanceof PSQLWarning notice
                    && "SyncRepWaitForLSN".equals(notice.getServerErrorMessage().getRoutine())) {
                return warning;
            }
        }
        return null;
    }

    static @Nullable ServerErrorMessage serverMessage(SQLException e) {
        return e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    }

    /** Returns the primary message of the server; for any other error, the message of the exception. */
    public static String message(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        String message = server == null ? e.getMessage() : server.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    static String detail(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        String detail = server == null ? null : server.getDetail();
        return detail == null ? "" : detail.replace('\n', ' ');
    }
}
