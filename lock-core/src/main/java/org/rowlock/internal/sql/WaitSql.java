package org.rowlock.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.sql.FlushForms.Bound;
import org.rowlock.internal.text.FrontSql;

/**
 * The statements before and after a lock that limit the wait. These statements also keep the transaction usable after a
 * timeout, and restore the caller's own lock_timeout.
 */
public final class WaitSql {
    static final Part SAVEPOINT = Part.control("savepoint rowlock");
    static final Part RELEASE = Part.control("release savepoint rowlock");

    /** Releases all locks that were acquired since {@link #SAVEPOINT}, and makes the transaction usable again. */
    public static final String ROLLBACK_TO_SAVEPOINT = "rollback to savepoint rowlock; release savepoint rowlock";

    /**
     * A query for the idle_in_transaction_session_timeout in milliseconds, 0 for none. The result is null if the
     * transaction has a transaction id. A savepoint keeps the transaction usable if the role lacks the privilege for
     * the query.
     */
    public static final String IDLE_MILLIS =
            SAVEPOINT.sql() + "; select case when pg_catalog.pg_current_xact_id_if_assigned() is null then "
                    + FrontSql.millis("idle_in_transaction_session_timeout") + " end; " + RELEASE.sql();

    /** A statement that fails deliberately, to abort the transaction and release its locks. */
    public static final String ABORT = "select cast('rowlock: abort' as integer)";

    /** An expression for the remaining milliseconds as a text, at least 1, because 0 would mean no limit. */
    static final String REMAINING = "greatest(1, pg_catalog.ceil(pg_catalog.current_setting('rowlock.deadline')"
            + "::numeric - extract(epoch from pg_catalog.clock_timestamp())::numeric *"
            + " 1000))::integer::pg_catalog.text";

    /**
     * An expression that sets lock_timeout to the remaining time. PostgreSQL applies lock_timeout to each wait
     * separately, but {@link org.rowlock.LockRequest#atMost} limits the whole call. Therefore this expression precedes
     * each wait.
     */
    static final String REARM_EXPRESSION = "pg_catalog.set_config('lock_timeout', " + REMAINING + ", true)";

    static final Part REARM = Part.control("select " + REARM_EXPRESSION);

    static final Part RESTORE = Part.control(
            "select pg_catalog.set_config('lock_timeout', pg_catalog.current_setting('rowlock.lock_timeout'), true)");

    /** The interval at which the server, in a flush with a COMMIT, checks that the client is still connected. */
    public static final int WATCH_MILLIS = 200;

    /**
     * A query: whether the server can detect a lost client, whether commits do not wait for a standby, and the id of
     * the server process.
     */
    public static final String CAN_WATCH =
            "select pg_catalog.current_setting('client_connection_check_interval', true) is not null"
                    + " and pg_catalog.strpos(pg_catalog.version(), 'linux') > 0,"
                    + " pg_catalog.current_setting('synchronous_standby_names', true) = '',"
                    + " pg_catalog.pg_backend_pid()";

    /**
     * The first statement of a flush with a COMMIT: the server ends the flush if the client is no longer connected. The
     * statement is sent only to servers that support client_connection_check_interval. Unlike the function set_config,
     * SET LOCAL requires no privilege.
     */
    public static final Part WATCH = Part.control("set local client_connection_check_interval = " + WATCH_MILLIS);

    /** Like {@link #WATCH}, but the setting remains in the session if the flush commits. */
    public static final Part WATCH_FROM_NOW_ON = Part.control("set client_connection_check_interval = " + WATCH_MILLIS);

    private WaitSql() {}

    /** Stores the caller's lock_timeout and the deadline in settings, and sets lock_timeout to the bound. */
    public static final Part ARM = new Part(
            "select pg_catalog.set_config('rowlock.lock_timeout', pg_catalog.current_setting('lock_timeout'), true),"
                    + " pg_catalog.set_config('rowlock.deadline',"
                    + " (extract(epoch from pg_catalog.clock_timestamp())::numeric * 1000 +"
                    + " m.millis::integer)::pg_catalog.text, true),"
                    + " pg_catalog.set_config('lock_timeout', m.millis, true) from (select cast(? as"
                    + " pg_catalog.text) as millis) as m",
            WaitSql::bindMillis,
            Part.UNREAD);

    static final Bound BOUND = new Bound(List.of(ARM), REARM, RESTORE);

    /**
     * The longest wait for the front lock is the bound divided by this number. The rest of the bound remains for the
     * row lock, because the row may be free even if another transaction holds the front lock.
     */
    private static final int PART_OF_BOUND = 2;

    private static final List<Part> FRONT =
            List.of(Part.control(FrontSql.MARK), new Part(FrontSql.SQL, Answers::front), Part.control(FrontSql.UNMARK));

    static List<Part> front(RowTable table, WaitKind wait) {
        Part.Binder row = RowSql.binder(0, 0);
        List<Part> parts = new ArrayList<>();
        parts.add(new Part(
                RowSql.identity(table) + FrontSql.look(RowSql.look(table)) + rearm(wait, ""),
                (statement, at, request) -> bindFront(statement, row.bind(statement, at, request), request),
                Part.UNREAD));
        parts.addAll(FRONT);
        return parts;
    }

    /**
     * Returns an item of a select list, which sets lock_timeout to the remaining time before each row is locked.
     * Without {@code atMost}, the item is empty.
     */
    static String rearm(WaitKind wait, String name) {
        return wait == WaitKind.AT_MOST ? ", " + REARM_EXPRESSION + name : "";
    }

    private static int bindFront(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException {
        Front front = Objects.requireNonNull(request.front());
        int part = request.lockWait().isBounded() ? PART_OF_BOUND : FrontSql.PART_OF_TIMEOUT;
        return FrontSql.bind(statement, at, front.key(), front.millis(), part);
    }

    public static int bindMillis(PreparedStatement statement, int at, ResolvedRequest request) throws SQLException {
        statement.setString(at, Integer.toString(request.waitMillis()));
        return at + 1;
    }
}
