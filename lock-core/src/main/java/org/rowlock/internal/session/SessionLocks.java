package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.sql.CitusForms;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.KeySql;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.WaitSql;

/**
 * Takes advisory locks in front of a REPEATABLE READ or SERIALIZABLE transaction that has not begun.
 *
 * <p>There a lock statement would take the transaction's snapshot before it waits, and every later read would be stale.
 * So the wait happens for a session lock in a READ COMMITTED transaction of its own; then the caller's transaction
 * begins, and its first statement takes the transaction lock and lets go of the session lock. The hold passes from
 * session to transaction without a gap, the snapshot is younger than the lock, and commit releases it.
 *
 * <p>The transactions are chained ({@code COMMIT AND CHAIN}), so that the session is never idle in between: a pooler in
 * transaction mode keeps the server connection, and the characteristics of the caller's transaction carry over.
 *
 * <p>No rollback releases the locks of the session. They are what the session has in pg_locks now and had not before,
 * so that whatever fails, all of them can be let go of. What the caller holds for the session already is neither taken
 * nor let go of.
 *
 * @param onCitus whether the database has Citus, see {@link CitusForms}
 * @param before the locks from before
 */
public record SessionLocks(
        PgSession session,
        ResolvedRequest request,
        boolean onCitus,
        @Nullable String before) {
    private static final Part ROLLBACK = Part.control("rollback and chain");

    private static final String OWN = " from pg_catalog.pg_locks as l where l.pid = pg_catalog.pg_backend_pid()"
            + " and l.locktype = 'advisory' and l.granted";

    /** Distinguishes a lock {@code l} of the session from its others. */
    private static final String LOCK = "pg_catalog.concat_ws(' ', l.classid, l.objid, l.objsubid, l.mode)";

    /** The same of a derived key {@code k}, but for the mode: both halves and the kind. */
    private static final String KEY = "case when k.b is null then pg_catalog.concat_ws(' ', k.c::pg_catalog.oid,"
            + " k.o::pg_catalog.oid, 2) else pg_catalog.concat_ws(' ', k.b >> 32 & 4294967295, k.b & 4294967295, 1)"
            + " end";

    private static final String OWN_LOCKS = "select pg_catalog.array_agg(" + LOCK + ')' + OWN;

    private static final String BEFORE = "select coalesce((" + OWN_LOCKS + "), '{}')::pg_catalog.text";

    private static final String LOCKS_BEFORE = "cast(? as pg_catalog.text[])";

    /** A FROM clause: the locks that the session has beside those from before, as keys {@code k}. */
    private static final String TAKEN = " from (select " + LOCK + " as lock, case l.objsubid when 2 then"
            + " l.classid::integer end as c, l.objid::integer as o, case l.objsubid when 1 then"
            + " (l.classid::bigint << 32) | l.objid::bigint end as b, l.mode = 'ShareLock' as shared" + OWN + " and "
            + LOCK + " <> all(" + LOCKS_BEFORE + ") offset 0) as k";

    private static final String UNLOCK = KeySql.call("pg_catalog.pg_advisory_unlock");

    /** Keeps which it has passed on for the statement behind, as to look twice would cost more than all else. */
    private static final String PASS =
            "select pg_catalog.set_config('rowlock.held', coalesce(pg_catalog.array_agg(case when ("
                    + KeySql.call("pg_catalog.pg_advisory_xact_lock") + ")::pg_catalog.text is not null and ("
                    + UNLOCK + ") then k.lock end), '{}')::pg_catalog.text, true)" + TAKEN;

    private static final String LOCKS_PASSED =
            "(cast(pg_catalog.current_setting('rowlock.held') as pg_catalog.text[])" + " || " + LOCKS_BEFORE + ')';

    /** Whether the lock of {@code k}, or the exclusive one in place of the shared, is among locks. */
    private static String held(String locks) {
        return "array[" + KEY + " || ' ExclusiveLock', " + KEY
                + " || case when k.shared then ' ShareLock' else ' ExclusiveLock' end] && " + locks;
    }

    /**
     * Takes the locks. The transaction has been begun by Rowlock alone, and nothing of the caller's is in it. Whatever
     * it throws, the session holds none of the locks.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     * @return what keeps the caller's transaction from holding them; null if it does
     */
    public static @Nullable Outcome handOver(
            PgSession session, ResolvedRequest request, boolean onCitus, String isolation) throws SQLException {
        // What comes from outside never becomes SQL.
        String level = isolation.equals("serializable") ? "serializable" : "repeatable read";
        SessionLocks nothing = new SessionLocks(session, request, onCitus, null);
        String before = nothing.run(List.of(ROLLBACK, level("read committed"), Part.control(BEFORE)));
        SessionLocks locks = new SessionLocks(session, request, onCitus, before);
        try {
            Outcome refused = locks.lock();
            if (refused == null && locks.passToTransaction(level)) {
                return null;
            }
            locks.unlock(null);
            return refused == null ? new Outcome.Stale(true) : refused;
        } catch (Throwable e) {
            // Throwable, as an Error must not leave a session lock in the pool either.
            locks.unlock(e);
            throw e;
        }
    }

    /** Whether this session holds all the locks already, each in its mode or a stronger one. */
    public static boolean areHeld(PgSession session, ResolvedRequest request, boolean onCitus) throws SQLException {
        SessionLocks locks = new SessionLocks(session, request, onCitus, null);
        String all = "select pg_catalog.bool_and(" + held("(" + OWN_LOCKS + ")") + ')' + KeySql.FROM_MANY;
        return "t".equals(locks.run(locks.holding(all, SessionLocks::bindKeys)));
    }

    /** Waits for the locks. What keeps the session from holding them, or null. */
    private @Nullable Outcome lock() throws SQLException {
        WaitKind wait = WaitKind.of(request.lockWait());
        String function = wait == WaitKind.NO_WAIT ? "pg_catalog.pg_try_advisory_lock" : "pg_catalog.pg_advisory_lock";
        String got = "pg_catalog.bool_and(case when t.refused is not null or " + held(LOCKS_BEFORE)
                + (wait == WaitKind.AT_MOST ? " or " + WaitSql.REARM_EXPRESSION + " is null" : "")
                + " then true else (" + KeySql.call(function) + ")::pg_catalog.text <> 'false' end)::pg_catalog.text";
        String all = "select coalesce(pg_catalog.min(t.refused), " + got + ')' + KeySql.FROM_MANY;
        // The bound is a setting of this transaction and ends with it.
        String answer = wait == WaitKind.AT_MOST
                ? run(holding(all, this::bindAll, WaitSql.ARM))
                : run(holding(all, this::bindAll));
        if ("true".equals(answer)) {
            return null;
        }
        return "false".equals(answer)
                ? Outcome.Taken.AT_ONCE
                : new Outcome.Refused(new Guard("", false, String.valueOf(answer), Guard.Lock.NOT_TRIED), null);
    }

    /**
     * Begins the caller's transaction, and in its first statement takes the locks for it and lets go of the session's.
     * The keys are derived once more at the end, since a table may have been replaced during the wait. Their modes
     * count too: two tables that have changed places give the same keys.
     *
     * @return false if a table was replaced by another
     */
    private boolean passToTransaction(String level) throws SQLException {
        // Those from before are taken too: the caller may let go of its own in the middle of the transaction.
        String passed = "select pg_catalog.bool_and(case when " + held(LOCKS_PASSED) + " then ("
                + KeySql.call("pg_catalog.pg_advisory_xact_lock") + ")::pg_catalog.text is not null else false end)"
                + KeySql.FROM_MANY;
        List<Part> parts = holding(passed, this::bindAll, Part.control("commit and chain"), level(level));
        parts.add(parts.size() - 1, new Part(PASS, this::bindBefore, Part.UNREAD));
        return "t".equals(run(parts));
    }

    /**
     * Lets go of the locks. If that fails the session must not go on, say back into a pool.
     *
     * @param cause what has failed before, or null
     */
    private void unlock(@Nullable Throwable cause) {
        try {
            Part unlock = new Part("select " + UNLOCK + TAKEN, this::bindBefore, Part.UNREAD);
            run(List.of(ROLLBACK, unlock, Part.control("rollback")));
        } catch (SQLException | RuntimeException e) {
            if (cause != null) {
                cause.addSuppressed(e);
            }
            session.kill(e);
        }
    }

    private static Part level(String level) {
        return Part.control("set transaction isolation level " + level);
    }

    /** A statement about all the keys, behind others, with the tables held: by a clause or statements of their own. */
    private List<Part> holding(String sql, Part.Binder binder, Part... inFront) {
        List<String> tables = request.advisory().tables();
        List<Part> parts = new ArrayList<>(List.of(inFront));
        if (onCitus) {
            parts.addAll(CitusForms.hold(tables, List.of()));
        }
        parts.add(new Part(onCitus ? sql : KeySql.holding(tables, List.of()) + sql, binder, Part.UNREAD));
        return parts;
    }

    /** Runs statements in one round trip. The first column of the first row of the last one, or null. */
    private @Nullable String run(List<Part> parts) throws SQLException {
        try (PreparedStatement statement = session.prepare(Flush.textOf(parts))) {
            FlushRunner.bind(statement, parts, request);
            statement.execute();
            for (int i = 1; i < parts.size(); i++) {
                statement.getMoreResults();
            }
            return Part.first(statement);
        }
    }

    private int bindBefore(PreparedStatement statement, int at, ResolvedRequest of) throws SQLException {
        statement.setString(at, before);
        return at + 1;
    }

    private int bindAll(PreparedStatement statement, int at, ResolvedRequest of) throws SQLException {
        return bindKeys(statement, bindBefore(statement, at, of), of);
    }

    private static int bindKeys(PreparedStatement statement, int at, ResolvedRequest of) throws SQLException {
        return KeySql.bindMany(statement, at, of.advisory().keys(), of.request());
    }
}
