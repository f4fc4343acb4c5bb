package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.CitusForms;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.KeySql;
import org.rowlock.internal.sql.WaitSql;

/**
 * The locks of one request as locks of the session, which no rollback releases. What the caller holds for the session
 * already is neither taken nor let go of.
 */
public final class SessionLocks {
    /** Keys as {@link #deriveSql} gives them, and of each whether the caller held the lock for the session before. */
    private static final String KEYS = " from rows from (pg_catalog.json_to_recordset(cast(? as pg_catalog.json)) as"
            + " (c integer, o integer, b bigint, shared boolean), pg_catalog.unnest(cast(? as boolean[])))"
            + " as k(c, o, b, shared, held)";

    private static final String OWN_LOCK = "exists (select 1 from pg_catalog.pg_locks as l"
            + " where l.pid = pg_catalog.pg_backend_pid() and l.locktype = 'advisory' and l.granted and "
            + KeySql.IS_LOCK + " and ";

    /** Whether this session holds the lock of {@code k}. */
    private static final String HELD =
            OWN_LOCK + "l.mode = case when k.shared then 'ShareLock' else 'ExclusiveLock' end)";

    /** The same, or the exclusive one in place of the shared. */
    private static final String HELD_AT_LEAST = OWN_LOCK + "(l.mode = 'ExclusiveLock' or k.shared))";

    private final PgSession session;
    private final ResolvedRequest request;

    /** What holds the tables: a statement of its own, or a clause. */
    private final List<String> holdingInFront;

    private final String holding;

    private Derived derived = new Derived("", "");

    /** As the server has derived them, in the order they are locked in: the parameters of {@link #KEYS}. */
    private record Derived(String keys, String held) {}

    private SessionLocks(PgSession session, ResolvedRequest request, boolean onCitus) {
        this.session = session;
        this.request = request;
        List<String> tables = request.advisory().tables();
        this.holdingInFront = onCitus ? CitusForms.hold(tables, List.of()) : List.of();
        this.holding = onCitus ? "" : KeySql.holding(tables, List.of());
    }

    /**
     * Derives the keys, behind statements that open the transaction for it.
     *
     * @param onCitus whether the database has Citus, see {@link CitusForms}
     */
    public static SessionLocks derive(PgSession session, ResolvedRequest request, boolean onCitus, String... before)
            throws SQLException {
        SessionLocks locks = new SessionLocks(session, request, onCitus);
        List<String> inFront = locks.inFront(before);
        try (PreparedStatement statement = session.prepare(script(inFront, locks.deriveSql()))) {
            locks.bindDerive(statement, 1);
            locks.derived = locks.read(result(statement, inFront.size()));
        }
        return locks;
    }

    /** Whether this session holds all the locks already, each in its mode or a stronger one. */
    public static boolean areHeld(PgSession session, ResolvedRequest request, boolean onCitus) throws SQLException {
        SessionLocks locks = new SessionLocks(session, request, onCitus);
        List<String> inFront = locks.inFront();
        String held = locks.holding + "select pg_catalog.bool_and(" + HELD_AT_LEAST + ")" + KeySql.FROM_MANY;
        try (PreparedStatement statement = session.prepare(script(inFront, held))) {
            locks.bindDerive(statement, 1);
            try (ResultSet row = result(statement, inFront.size())) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private List<String> inFront(String... before) {
        return Stream.concat(Stream.of(before), holdingInFront.stream()).toList();
    }

    private static String script(List<String> inFront, String statement) {
        return Stream.concat(inFront.stream(), Stream.of(statement)).collect(Collectors.joining("\n;"));
    }

    /**
     * Waits for the locks.
     *
     * @return false if there is no wait and one is taken
     */
    public boolean lock() throws SQLException {
        WaitKind wait = WaitKind.of(request.lockWait());
        boolean bounded = wait == WaitKind.AT_MOST;
        String function = wait == WaitKind.NO_WAIT ? "pg_catalog.pg_try_advisory_lock" : "pg_catalog.pg_advisory_lock";
        // The bound is a setting of this transaction and ends with it.
        String sql = (bounded ? WaitSql.ARM.sql() + "\n;" : "") + "select case when k.held then ''"
                + (bounded ? " when " + WaitSql.REARM_EXPRESSION + " is null then ''" : "")
                + " else (" + KeySql.call(function) + ")::pg_catalog.text end" + KEYS;
        try (PreparedStatement statement = session.prepare(sql)) {
            bind(statement, bounded ? WaitSql.bindMillis(statement, 1, request) : 1);
            try (ResultSet row = result(statement, bounded ? 1 : 0)) {
                while (row.next()) {
                    if ("false".equals(row.getString(1))) {
                        return false;
                    }
                }
                return true;
            }
        }
    }

    /**
     * Begins the caller's transaction, and in its first statement takes the locks for it and lets go of the session's.
     * The keys are derived once more at the end, since a table may have been replaced during the wait. Their modes
     * count too: two tables that have changed places give the same keys.
     *
     * @return false if a table was replaced by another
     */
    public boolean passToTransaction(String... before) throws SQLException {
        List<String> inFront = inFront(before);
        String lock = "select " + KeySql.call("pg_catalog.pg_advisory_xact_lock") + ", case when k.held then true else "
                + KeySql.call("pg_catalog.pg_advisory_unlock") + " end" + KEYS;
        try (PreparedStatement statement = session.prepare(script(inFront, lock + "\n;" + deriveSql()))) {
            bindDerive(statement, bind(statement, 1));
            try (ResultSet row = result(statement, inFront.size())) {
                while (row.next()) {
                    if (!row.getBoolean(2)) {
                        throw new IllegalStateException("A session lock was gone before it was handed over to the"
                                + " transaction; is another thread using the connection?");
                    }
                }
            }
            statement.getMoreResults();
            return read(statement.getResultSet()).keys().equals(derived.keys());
        }
    }

    /**
     * Lets go of the locks. If that fails the session must not go on, say back into a pool.
     *
     * @param cause what has failed before, or null
     */
    public void unlock(@Nullable Throwable cause) {
        // Only what the session really holds, so that the server has nothing to warn of.
        String sql = "rollback and chain\n;select " + KeySql.call("pg_catalog.pg_advisory_unlock") + KEYS
                + " where not k.held and " + HELD + "\n;rollback";
        try (PreparedStatement statement = session.prepare(sql)) {
            bind(statement, 1);
            statement.execute();
        } catch (SQLException | RuntimeException e) {
            Throwable first = cause == null ? e : cause;
            if (cause != null) {
                cause.addSuppressed(e);
            }
            try {
                session.kill();
            } catch (SQLException notKilled) {
                first.addSuppressed(notKilled);
            }
        }
    }

    private String deriveSql() {
        return holding + "select pg_catalog.json_agg(pg_catalog.json_build_object('c', k.c, 'o', k.o, 'b', k.b,"
                + " 'shared', k.shared))::pg_catalog.text, pg_catalog.array_agg(" + HELD + ")::pg_catalog.text,"
                + " pg_catalog.max(t.refused)" + KeySql.FROM_MANY;
    }

    private void bindDerive(PreparedStatement statement, int at) throws SQLException {
        KeySql.bindMany(statement, at, request.advisory(), request.mode());
    }

    private int bind(PreparedStatement statement, int at) throws SQLException {
        statement.setString(at, derived.keys());
        statement.setString(at + 1, derived.held());
        return at + 2;
    }

    private Derived read(ResultSet result) throws SQLException {
        try (ResultSet row = result) {
            row.next();
            String refused = row.getString(3);
            if (refused != null) {
                Guard guard = new Guard("", "", refused, Guard.Lock.NOT_TRIED);
                throw LockErrors.refused(request.asked(session.isHotStandby()), guard, null);
            }
            return new Derived(row.getString(1), row.getString(2));
        }
    }

    /** Executes, passes over the results of the statements in front, and gives the one that counts. */
    private static ResultSet result(PreparedStatement statement, int passedOver) throws SQLException {
        statement.execute();
        for (int i = 0; i < passedOver; i++) {
            statement.getMoreResults();
        }
        return statement.getResultSet();
    }
}
