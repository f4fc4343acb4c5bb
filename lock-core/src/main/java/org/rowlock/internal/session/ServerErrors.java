package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.sql.LockCheck;
import org.rowlock.internal.sql.LockCheckSql;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WriteForm;
import org.rowlock.internal.sql.WriteForm.WrongCount;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;
import org.rowlock.internal.value.WaitNanos;

/**
 * Determines the cause of an error of the server or the driver from its SQLSTATE and fields. Uses its text only if
 * these do not suffice.
 */
public final class ServerErrors {
    /**
     * A pattern for the line in which PostgreSQL 19 describes the awaited lock. The line contains the lock mode in
     * every language.
     */
    private static final Pattern LOCK = Pattern.compile("(Share|Exclusive)Lock\\b");

    private ServerErrors() {}

    /**
     * Whether a prepared statement of this session is unknown to the server, or belongs to another client. The cause is
     * a pooler that shares server connections and does not track prepared statements.
     */
    public static boolean isPreparedStatementMixedUp(SQLException e) {
        return switch (SqlState.of(e)) {
            case SqlState.INVALID_SQL_STATEMENT_NAME, SqlState.DUPLICATE_PREPARED_STATEMENT -> true;
            // PostgreSQL raises this error if another client's prepared statement has the same name and a different
            // number of parameters.
            case SqlState.PROTOCOL_VIOLATION -> isRaisedIn("exec_bind_message", e);
            default -> false;
        };
    }

    /** Whether the driver itself refused the parameters, because they do not fit the SQL of the caller's query. */
    public static boolean isDriverRefusal(SQLException e) {
        return SqlState.INVALID_PARAMETER_VALUE.equals(e.getSQLState()) && !isServers(e);
    }

    /** Whether the server sent the error, rather than the driver creating it. */
    public static boolean isServers(SQLException e) {
        return serverMessage(e) != null;
    }

    /**
     * Whether this connection has ended. A similar error may be about a connection from the server to another one, for
     * example for a foreign table.
     */
    public static boolean isConnectionLost(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        boolean goesOn = server != null
                && SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                && !"FATAL".equals(server.getSeverity());
        return SqlState.isConnectionLost(e.getSQLState()) && !goesOn;
    }

    /**
     * Whether the server may still run the statement. Only an error that the server process itself raised proves that
     * the statement has ended.
     */
    public static boolean mayRunOn(SQLException e) {
        return !isServers(e)
                || SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                // A pooler may send this error although the statement still runs at the server.
                || (SqlState.ADMIN_SHUTDOWN.equals(e.getSQLState()) && !isOfProcessInterrupts(e));
    }

    /**
     * Whether the server's function ProcessInterrupts raised the error, as it does for timeouts. It does not raise the
     * error of NOWAIT.
     */
    private static boolean isOfProcessInterrupts(SQLException e) {
        return isRaisedIn("ProcessInterrupts", e);
    }

    /**
     * Whether a wait for a row of a table has timed out. If the error names a table, it must name the given table. A
     * wait for a row of another table may come from a foreign key.
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

    /** Returns a copy of an error of the server for another caller, because callers may modify exceptions. */
    public static SQLException copy(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server == null ? e : new PSQLException(server);
    }

    private static boolean isRaisedIn(String routine, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server != null && routine.equals(server.getRoutine());
    }

    /**
     * Whether lock_not_available certainly comes from the tail, which is the caller's part of the flush, and not from
     * the statement that acquires the requested locks. Returns false if the error may come from either. Also returns
     * false if the wait for the locks was limited and the tail has no COMMIT. The source does not matter in that case,
     * because Rowlock rolls back both. A lock without NOWAIT can fail only by a timeout, and a lock with NOWAIT cannot
     * time out. A limited wait cannot time out before its limit.
     *
     * @param start System.nanoTime() before the limit of the wait was set
     */
    public static boolean isOfTail(ResolvedRequest request, @Nullable Tail tail, long start, SQLException e) {
        if (tail == null || !SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return false;
        }
        boolean timeout = isOfProcessInterrupts(e);
        return switch (WaitKind.of(request.lockWait())) {
            case FOREVER -> !timeout;
            case NO_WAIT -> tail.isCommitting() && timeout;
            case AT_MOST -> {
                long took = System.nanoTime() - start;
                yield tail.isCommitting() && (!timeout || took < WaitNanos.nanos(request.lockWait()));
            }
        };
    }

    /**
     * Whether the error may be caused by a front lock. The row lock must then be sent again without the front lock. The
     * server's text does not show which of the two locks failed; see {@link FrontSql#undoes}.
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
     * Whether the error may be a cancel that arrived during the commit. The server reports such a cancel after the
     * commit, without the name of a function or table.
     */
    public static boolean mayBeBehindCommit(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return SqlState.QUERY_CANCELED.equals(e.getSQLState())
                && isOfProcessInterrupts(e)
                && server != null
                && server.getWhere() == null;
    }

    /** Whether the driver created the exception, rather than the server or a pool. */
    public static boolean isDrivers(SQLException e) {
        return e instanceof PSQLException postgres && postgres.getServerErrorMessage() == null;
    }

    /** Returns the number of rows, if the error says that a write changed a wrong number of rows; null otherwise. */
    public static @Nullable WrongCount wrongCountIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? WriteForm.wrongCountIn(message(e)) : null;
    }

    /** Whether a rule of a table (CREATE RULE) prevents a statement from being part of a WITH. */
    public static boolean isOfRule(SQLException e) {
        return SqlState.FEATURE_NOT_SUPPORTED.equals(e.getSQLState()) && isRaisedIn("RewriteQuery", e);
    }

    /** Returns the findings of the check that raised the error, or null for any other error. */
    public static @Nullable LockCheck checkIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? LockCheckSql.findIn(message(e)) : null;
    }

    /**
     * Whether an error of parse analysis shows that the id columns have changed since they were looked up
     * ({@link RowSql#identity}).
     *
     * @param tables the tables of the locks
     */
    public static boolean isIdentityGone(List<RowTable> tables, SQLException e) {
        String message = message(e);
        return switch (SqlState.of(e)) {
            case SqlState.UNDEFINED_COLUMN, SqlState.GROUPING_ERROR -> message.contains(RowSql.IDENTITY_ALIAS + '.');
            case SqlState.UNDEFINED_FUNCTION -> message.contains(RowSql.TYPE_CHECK);
            // The checked types are arrays. The message contains their names without quotes.
            case SqlState.UNDEFINED_OBJECT ->
                tables.stream()
                        .flatMap(table -> table.columns().stream())
                        .anyMatch(column -> message.contains(column.arrayType().replace("\"", "")));
            default -> false;
        };
    }

    /**
     * Whether an error is about the table or id of the lock, and not about the caller's query in the same round trip.
     * Such an error names the table of the lock, or quotes the id. A quoted id does not prove that the lock caused the
     * error if the query has an equal value.
     */
    public static boolean isLockTarget(Description request, List<@Nullable Object> binds, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        String message = server == null ? null : server.getMessage();
        // A row security policy for written rows cannot have refused the lock, because a lock writes no rows.
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

    /** Whether a message contains a name in quotes, or ends with it, as in "permission denied for". */
    private static boolean names(String message, String name) {
        String plain = String.join(".", TableName.parts(name));
        return message.contains('"' + plain + '"') || message.endsWith(' ' + plain);
    }

    static @Nullable ServerErrorMessage serverMessage(SQLException e) {
        return e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    }

    /** Returns the server's message without its details; for any other error, the message of the exception. */
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
