package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.rowlock.internal.request.Asked;
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
import org.rowlock.internal.text.WaitNanos;

/**
 * What an error of the server, or the driver, is about: by its SQLSTATE and its fields, and by its text only where
 * these do not say.
 */
public final class ServerErrors {
    /** A line that says for which lock the wait was, in every language by its mode: PostgreSQL 19 adds one. */
    private static final Pattern LOCK = Pattern.compile("(Share|Exclusive)Lock\\b");

    private ServerErrors() {}

    /**
     * Whether a prepared statement of this session is unknown to the server, or another's: what a pooler does that
     * hands out server connections and keeps no account of prepared statements.
     */
    public static boolean isPreparedStatementMixedUp(SQLException e) {
        return switch (SqlState.of(e)) {
            case SqlState.INVALID_SQL_STATEMENT_NAME, SqlState.DUPLICATE_PREPARED_STATEMENT -> true;
            // The number of parameters is another statement's.
            case SqlState.PROTOCOL_VIOLATION -> isRaisedIn("exec_bind_message", e);
            default -> false;
        };
    }

    /** What the driver refused by itself: the parameters of the caller's query do not fit its SQL. */
    public static boolean isDriverRefusal(SQLException e) {
        return SqlState.INVALID_PARAMETER_VALUE.equals(e.getSQLState()) && !isServers(e);
    }

    /** Whether it is an answer of the server, and the driver has not made it. */
    public static boolean isServers(SQLException e) {
        return serverMessage(e) != null;
    }

    /** Whether it is the end of this connection, and not of one of the server to another, as of a foreign table. */
    public static boolean isConnectionLost(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        boolean goesOn = server != null
                && SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                && !"FATAL".equals(server.getSeverity());
        return SqlState.isConnectionLost(e.getSQLState()) && !goesOn;
    }

    /** Whether the server may be at work all the same: it has not reported the end itself, or a pooler has. */
    public static boolean mayRunOn(SQLException e) {
        return !isServers(e)
                || SqlState.of(e).startsWith(SqlState.CONNECTION_CLASS)
                // A pooler sends this too, in the place of a server that it has not looked at.
                || (SqlState.ADMIN_SHUTDOWN.equals(e.getSQLState()) && !isOfProcessInterrupts(e));
    }

    /** Whether the server's ProcessInterrupts raised it, as a timeout does; NOWAIT and the like wait for nothing. */
    private static boolean isOfProcessInterrupts(SQLException e) {
        return isRaisedIn("ProcessInterrupts", e);
    }

    /**
     * Whether a wait for a row of a table has lasted too long. The server says in which table the wait was, if it says
     * anything; another one is that of a parent, say, or of a unique index.
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

    /** The same error of the server for another caller, as callers add to theirs. */
    public static SQLException copy(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server == null ? e : new PSQLException(server);
    }

    private static boolean isRaisedIn(String routine, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return server != null && routine.equals(server.getRoutine());
    }

    /**
     * Whether a lock that could not be had is surely one that what is behind the lock needs: a bound of ours ends no
     * wait before its time, and NOWAIT is no timeout. A query behind a bounded wait is undone with the lock all the
     * same.
     *
     * @param start System.nanoTime() before the bound was set
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
     * Whether it may be that the advisory key in front of a lock could not be had: then the lock alone says what is
     * wrong, if anything is. Which of the two it is no text of the server says: see {@link FrontSql#undoes}.
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
     * Whether it may be a cancel that came while the server committed: the server reports that when it has committed,
     * and names no function or row in which it was.
     */
    public static boolean mayBeBehindCommit(SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        return SqlState.QUERY_CANCELED.equals(e.getSQLState())
                && isOfProcessInterrupts(e)
                && server != null
                && server.getWhere() == null;
    }

    /** Whether the driver has made it, and neither the server nor a pool. */
    public static boolean isDrivers(SQLException e) {
        return e instanceof PSQLException postgres && postgres.getServerErrorMessage() == null;
    }

    /** The count of a write that the server has found wrong, where the error is that. */
    public static @Nullable WrongCount wrongCountIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? WriteForm.wrongCountIn(message(e)) : null;
    }

    /** Whether a rule of a table (CREATE RULE) keeps a statement from standing in a WITH. */
    public static boolean isOfRule(SQLException e) {
        return SqlState.FEATURE_NOT_SUPPORTED.equals(e.getSQLState()) && isRaisedIn("RewriteQuery", e);
    }

    /** The check's columns where the error is one that a check raised. */
    public static @Nullable LockCheck checkIn(SQLException e) {
        return SqlState.INVALID_TEXT_REPRESENTATION.equals(e.getSQLState()) ? LockCheckSql.findIn(message(e)) : null;
    }

    /**
     * Whether an error of parse analysis says that the id columns are not what they were when looked up
     * ({@link RowSql#identity}).
     *
     * @param tables those of the locks
     */
    public static boolean isIdentityGone(List<RowTable> tables, SQLException e) {
        String message = message(e);
        return switch (SqlState.of(e)) {
            case SqlState.UNDEFINED_COLUMN, SqlState.GROUPING_ERROR -> message.contains(RowSql.IDENTITY_ALIAS + '.');
            case SqlState.UNDEFINED_FUNCTION -> message.contains(RowSql.TYPE_CHECK);
            // What is checked are arrays, which the message names without quotes of their own.
            case SqlState.UNDEFINED_OBJECT ->
                tables.stream()
                        .flatMap(table -> table.columns().stream())
                        .anyMatch(column -> message.contains(column.arrayType().replace("\"", "")));
            default -> false;
        };
    }

    /**
     * Whether an error is about the lock's own table or id, and not about the caller's query in the same round trip. So
     * it has to name the table, which the query cannot have found missing before the lock did; or to quote the id,
     * where the id is of a type that only the server knows and the query has no such value.
     */
    public static boolean isLockTarget(Asked asked, List<@Nullable Object> binds, SQLException e) {
        ServerErrorMessage server = serverMessage(e);
        String message = server == null ? null : server.getMessage();
        // A policy of row security refuses what is written, and a lock writes nothing.
        if (server == null || message == null || isOfRule(e) || isRaisedIn("ExecWithCheckOptions", e)) {
            return false;
        }
        return switch (SqlState.of(e)) {
            case SqlState.UNDEFINED_TABLE, SqlState.INVALID_NAME ->
                asked.tables().stream().anyMatch(table -> names(message, table));
            case SqlState.INVALID_SCHEMA_NAME,
                    SqlState.INSUFFICIENT_PRIVILEGE,
                    SqlState.WRONG_OBJECT_TYPE,
                    SqlState.FEATURE_NOT_SUPPORTED ->
                asked.tables().stream()
                        .anyMatch(table -> names(message, table)
                                || TableName.parts(table).stream().anyMatch(part -> names(message, part)));
            default ->
                SqlState.of(e).startsWith(SqlState.DATA_EXCEPTION_CLASS)
                        && server.getPosition() == 0
                        && asked.ids().stream()
                                .anyMatch(part -> message.contains('"' + part + '"')
                                        && binds.stream().noneMatch(bind -> part.equals(String.valueOf(bind))));
        };
    }

    /** Whether a message has a name in quotes or, as in "permission denied for", at its end. */
    private static boolean names(String message, String name) {
        String plain = String.join(".", TableName.parts(name));
        return message.contains('"' + plain + '"') || message.endsWith(' ' + plain);
    }

    static @Nullable ServerErrorMessage serverMessage(SQLException e) {
        return e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    }

    static String message(SQLException e) {
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
