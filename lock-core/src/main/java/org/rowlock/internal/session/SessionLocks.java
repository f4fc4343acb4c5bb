package org.rowlock.internal.session;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.sql.CitusForms;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.KeySql;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Tail;

/**
 * Hands advisory locks over to a REPEATABLE READ or SERIALIZABLE transaction that has not begun.
 *
 * <p>There a lock statement would take the transaction's snapshot before it waits, and every later read would be stale.
 * So the wait happens in a READ COMMITTED transaction of our own, whose rollback lets go of all locks if it fails. Then
 * the session takes the same locks, without a wait, as it has them; the caller's transaction begins; and its first
 * statement takes them for the transaction and lets go of those of the session. The hold passes from transaction to
 * transaction without a gap, the snapshot is younger than the locks, and commit releases them. What the caller holds
 * for the session itself counts twice meanwhile, and stays.
 *
 * <p>The transactions are chained ({@code COMMIT AND CHAIN}), so that the session is never idle in between: a pooler in
 * transaction mode keeps the server connection, and the characteristics of the caller's transaction carry over.
 *
 * @param onCitus whether the database has Citus, see {@link CitusForms}
 */
public record SessionLocks(PgSession session, ResolvedRequest request, boolean onCitus) {
    /** What goes with the flush that waits: its transaction, in front. */
    public static final Tail READ_COMMITTED = new Tail(
            List.of(Part.control("rollback and chain"), level("read committed")),
            List.of(),
            false,
            false,
            null,
            () -> {});

    /** The keys, for the statements behind: a table may be replaced by another as soon as no transaction holds it. */
    private static final String KEYS = "pg_catalog.json_agg(k)::pg_catalog.text";

    private static final String KEPT = "pg_catalog.current_setting('rowlock.keys')";

    private static final String FROM_KEPT = " from pg_catalog.json_to_recordset(cast(" + KEPT
            + " as pg_catalog.json)) as k(c integer, o integer, b bigint, shared boolean)";

    private static final String KEEP = "select pg_catalog.set_config('rowlock.keys', " + KEYS
            + ", false), pg_catalog.count((" + KeySql.call("pg_catalog.pg_advisory_lock") + ")::pg_catalog.text)"
            + KeySql.FROM_MANY;

    private static final String PASS = "select pg_catalog.bool_and(case when ("
            + KeySql.call("pg_catalog.pg_advisory_xact_lock") + ")::pg_catalog.text is not null then "
            + KeySql.call("pg_catalog.pg_advisory_unlock") + " end)" + FROM_KEPT;

    /** Whether each is held in its mode, or exclusively in place of shared. */
    private static final String ARE_HELD = "select pg_catalog.bool_and(exists (select from pg_catalog.pg_locks as l"
            + " where l.pid = pg_catalog.pg_backend_pid() and l.locktype = 'advisory' and l.granted and "
            + KeySql.IS_LOCK + " and (k.shared or l.mode = 'ExclusiveLock')))" + KeySql.FROM_MANY;

    /** Whether this session holds all the locks already, each in its mode or a stronger one. */
    public boolean areHeld() throws SQLException {
        return "t".equals(run(holding(ARE_HELD)));
    }

    /**
     * Begins the caller's transaction with the locks that the open transaction, ours, has. Where it fails before they
     * are the transaction's alone, the session must not go on, say back into a pool; it waits for nothing until then.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     * @return whether they are those of the keys; not if a table was replaced by another
     */
    public boolean passOn(String isolation) throws SQLException {
        // What comes from outside never becomes SQL.
        String level = isolation.equals("serializable") ? "serializable" : "repeatable read";
        try {
            run(List.of(
                    new Part(KEEP, SessionLocks::bindKeys, Part.UNREAD),
                    Part.control("commit and chain"),
                    level(level),
                    Part.control(PASS)));
        } catch (Throwable e) {
            // Throwable, as an Error must not leave a session lock in the pool either.
            session.kill(e);
            throw e;
        }
        return "t".equals(run(holding("select " + KEYS + " = " + KEPT + KeySql.FROM_MANY)));
    }

    private static Part level(String level) {
        return Part.control("set transaction isolation level " + level);
    }

    /** A statement about the keys, with the tables held: by a clause of it, or by statements in front. */
    private List<Part> holding(String sql) {
        List<String> tables = request.advisory().tables();
        List<Part> parts = new ArrayList<>(onCitus ? CitusForms.hold(tables, List.of()) : List.of());
        String clause = onCitus ? "" : KeySql.holding(tables, List.of());
        parts.add(new Part(clause + sql, SessionLocks::bindKeys, Part.UNREAD));
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

    private static int bindKeys(PreparedStatement statement, int at, ResolvedRequest of) throws SQLException {
        return KeySql.bindMany(statement, at, of.advisory().keys(), of.request());
    }
}
