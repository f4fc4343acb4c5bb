package org.rowlock.internal.acquire;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockKey.Row;
import org.rowlock.LockNotAvailableException;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.session.CitusDatabases;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ScriptRunner;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.SessionLocks;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.LockScript;
import org.rowlock.internal.sql.LockScript.Savepoint;
import org.rowlock.internal.sql.RowSql;
import org.rowlock.internal.sql.ScriptResult;
import org.rowlock.internal.sql.ScriptStatement;
import org.rowlock.internal.sql.ScriptValues;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.SqlState;

/** Takes the locks of a request on a session: composes the script, runs it, and makes sense of what came back. */
final class LockAcquirer {
    /** How often a row may be replaced during one call. */
    private static final int MOST_TRIES = 3;

    private final Scripts scripts;
    private final Handover handover;

    LockAcquirer(CitusDatabases citus) {
        this.scripts = new Scripts(citus);
        this.handover = new Handover(scripts);
    }

    /**
     * Takes the locks, and runs the query behind them.
     *
     * @throws LockException if the locks cannot be had
     * @throws SQLException if the caller's query fails; never without a query
     */
    ScriptResult acquire(PgSession session, ResolvedRequest request, @Nullable LockQuery<?> query) throws SQLException {
        AutoSave autosave = session.withoutAutosave();
        try {
            return acquireWithoutAutosave(session, request, query);
        } finally {
            session.setAutosave(autosave);
        }
    }

    private ScriptResult acquireWithoutAutosave(
            PgSession session, ResolvedRequest request, @Nullable LockQuery<?> query) throws SQLException {
        boolean begun = session.hasBegun();
        // Before the transaction has begun the locks can still be handed over from the session, so even a request that
        // would survive a stale snapshot asks the guard to tell.
        boolean anyIsolation = begun && request.anyIsolationAllowed();
        long start = query == null ? 0 : System.nanoTime();
        ScriptResult result = acquire(session, request, query, begun, anyIsolation);
        if (query == null || query.isCommitting()) {
            return result;
        }
        for (int tries = 1; isInsertedMeanwhile(session, request, result); tries++) {
            LockException replaced = LockErrors.replaced(request.asked(session.isHotStandby()));
            if (begun || tries == MOST_TRIES) {
                session.abortTransaction(WaitSql.ABORT, replaced);
                throw replaced;
            }
            rollBack(session, request);
            result = acquire(session, request.remaining(start), query, begun, anyIsolation);
        }
        return result;
    }

    /** Whether the query may have seen a row that is not locked, since the row lock in front of it found none. */
    private static boolean isInsertedMeanwhile(PgSession session, ResolvedRequest request, ScriptResult result)
            throws SQLException {
        for (ResolvedRequest absent : absentAlone(request, result)) {
            RowGroup row = absent.rows().get(0);
            if (!read(session, RowSql.lookForOthers(row.table()), absent).isEmpty()
                    && isLockable(session, row, absent)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is a row to FOR UPDATE at all: row security may show rows that it does not let lock. */
    private static boolean isLockable(PgSession session, RowGroup row, ResolvedRequest alone) throws SQLException {
        try {
            return !read(session, RowSql.one(row.table(), row.mode(), WaitKind.NO_WAIT), alone)
                    .isEmpty();
        } catch (LockNotAvailableException e) {
            return true;
        }
    }

    /** For each row that was not found, the request for it alone. */
    private static List<ResolvedRequest> absentAlone(ResolvedRequest request, ScriptResult result) {
        if (!request.isAnyRowAbsent(result.found())) {
            return List.of();
        }
        List<LockKey> absent = request.absentRows(result.found());
        List<ResolvedRequest> alone = new ArrayList<>(absent.size());
        for (RowGroup group : request.rows()) {
            for (Row key : group.keys()) {
                if (absent.contains(key)) {
                    alone.add(request.withRows(List.of(new RowGroup(group.table(), group.mode(), List.of(key)))));
                }
            }
        }
        return alone;
    }

    private ScriptResult acquire(
            PgSession session,
            ResolvedRequest request,
            @Nullable LockQuery<?> query,
            boolean begun,
            boolean anyIsolation)
            throws SQLException {
        LockScript script = scripts.of(session).script(request, begun, anyIsolation, query);
        ScriptResult result;
        Guard refused;
        long start = System.nanoTime();
        try {
            result = ScriptRunner.run(session, script, request, query);
            Guard guard = result.guard();
            refused = guard != null && guard.lock() == Guard.Lock.NOT_TRIED ? guard : null;
        } catch (SQLException e) {
            refused = ServerErrors.guardIn(e);
            if (refused == null || !refused.isSnapshotStale() || !canUndo(script, begun, refused)) {
                throw failure(session, script, request, query, begun, refused, start, e);
            }
            if (begun) {
                undo(session, request, begun, e);
            }
            result = ScriptResult.of(refused);
        }
        if (refused != null && refused.isSnapshotStale()) {
            if (!begun) {
                if (query != null && query.committing() != null) {
                    query.committing().sent(false);
                }
                result = handover.acquire(session, request, query, refused.isolation());
                refuseMisnamed(session, request, begun, result);
                return result;
            }
            // What the transaction holds already can neither be waited for nor have changed.
            if (areHeld(session, request)) {
                return acquire(session, request, query, begun, true);
            }
        }
        if (refused != null) {
            throw LockErrors.refused(request.asked(session.isHotStandby()), refused, null);
        }
        if (result.taken() || (result.guard() != null && result.guard().lock() == Guard.Lock.TAKEN)) {
            throw LockErrors.notAvailable(request.asked(session.isHotStandby()), false, null);
        }
        refuseMisnamed(session, request, begun, result);
        refuseAbsentInSnapshot(session, request, result);
        return result;
    }

    private boolean areHeld(PgSession session, ResolvedRequest request) {
        try {
            return SessionLocks.areHeld(session, request, scripts.areForCitus(session));
        } catch (SQLException e) {
            throw LockErrors.translate(request.asked(session.isHotStandby()), e);
        }
    }

    /** Refuses to lock a row whose own key is another than the one that is held. */
    private static void refuseMisnamed(PgSession session, ResolvedRequest request, boolean begun, ScriptResult result)
            throws SQLException {
        Misnamed misnamed = request.misnamed(result.found(), result.meant());
        if (misnamed == null && result.guard() != null) {
            misnamed = misnamedAbsent(session, request, result);
        }
        if (misnamed != null) {
            LockException refused = LockErrors.misnamed(request.asked(session.isHotStandby()), misnamed, !begun);
            if (begun) {
                session.abortTransaction(WaitSql.ABORT, refused);
            } else {
                rollBack(session, request);
            }
            throw refused;
        }
    }

    private static void refuseAbsentInSnapshot(PgSession session, ResolvedRequest request, ScriptResult result) {
        Guard guard = result.guard();
        if (guard != null && !guard.isReadCommitted() && request.isAnyRowAbsent(result.found())) {
            LockException refused = LockErrors.absentInSnapshot(request.asked(session.isHotStandby()), guard);
            session.abortTransaction(WaitSql.ABORT, refused);
            throw refused;
        }
    }

    /** A key without a row, whose row would have another key. */
    private static @Nullable Misnamed misnamedAbsent(PgSession session, ResolvedRequest request, ScriptResult result)
            throws SQLException {
        for (ResolvedRequest absent : absentAlone(request, result)) {
            RowGroup row = absent.rows().get(0);
            if (row.table().isIdOpen()) {
                Row key = row.keys().get(0);
                List<String> meant = read(session, RowSql.meaning(row.table()), absent);
                if (ResolvedRequest.isOther(row.table(), key, meant)) {
                    return new Misnamed(key, meant);
                }
            }
        }
        return null;
    }

    /** The id in the row that a statement about the first row of a request returns; empty where there is none. */
    private static List<String> read(PgSession session, ScriptStatement look, ResolvedRequest request)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(look.sql())) {
            look.binder().bind(statement, 1, new ScriptValues(request, null));
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? ScriptRunner.readId(row, 1, request.rows().get(0).table())
                        : List.of();
            }
        } catch (SQLException e) {
            throw LockErrors.translate(request.asked(session.isHotStandby()), e);
        }
    }

    private static void rollBack(PgSession session, ResolvedRequest request) {
        try {
            session.execute("rollback");
        } catch (SQLException e) {
            throw LockErrors.translate(request.asked(session.isHotStandby()), e);
        }
    }

    private static SQLException failure(
            PgSession session,
            LockScript script,
            ResolvedRequest request,
            @Nullable LockQuery<?> query,
            boolean begun,
            @Nullable Guard raised,
            long start,
            SQLException e)
            throws SQLException {
        Asked asked = request.asked(session.isHotStandby());
        String sql = query == null ? null : query.sql();
        if (ServerErrors.isIdentityGone(script.ownStatements(), sql, e)) {
            boolean undone = canUndo(script, begun, null);
            if (undone) {
                undo(session, request, begun, e);
            }
            throw LockErrors.stale(asked, undone);
        }
        if (raised == null && isOfWrites(request, query, start, e)) {
            return e;
        }
        if (raised != null || isBoundReached(script, e)) {
            boolean undone = canUndo(script, begun, raised);
            if (undone) {
                undo(session, request, begun, e);
            }
            // What a guard raised is not passed on as the cause: its mark is nobody's business.
            if (raised == null) {
                throw LockErrors.notAvailable(asked, mayBeOfQuery(session, query), e);
            }
            if (raised.lock() == Guard.Lock.TAKEN && undone) {
                throw LockErrors.notAvailable(asked, false, null);
            }
            if (raised.lock() == Guard.Lock.STALE) {
                throw LockErrors.stale(asked, undone);
            }
            if (raised.lock() == Guard.Lock.NOT_TRIED) {
                throw LockErrors.refused(
                        asked, raised, new SQLException("The guard of the lock statement refused", e.getSQLState()));
            }
        }
        if (script.savepoint() != Savepoint.NONE && session.isAborted()) {
            // Else the locks from before would keep others waiting, say the winner of a deadlock, until the caller
            // rolls back.
            session.abortTransaction(WaitSql.ROLLBACK_TO_SAVEPOINT + "; " + WaitSql.ABORT, e);
        }
        if (query == null) {
            throw LockErrors.translate(asked, e);
        }
        if (ServerErrors.isDriverRefusal(e)) {
            throw new IllegalArgumentException(
                    "The SQL of the query does not fit its " + query.binds().size() + " bind values: " + query.sql()
                            + ". Give one value per parameter; nothing was locked.",
                    e);
        }
        if (query.isCommitting() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            throw LockErrors.timedOut(asked, true, e);
        }
        LockException understood = ServerErrors.isLockTarget(asked, query.binds(), e)
                ? LockErrors.translate(asked, e)
                : LockErrors.understood(asked, e);
        if (understood != null) {
            throw understood;
        }
        return e;
    }

    /**
     * Whether a lock that could not be had is surely one that a write behind the lock needs: a bound of ours ends no
     * wait before its time, and NOWAIT is no timeout.
     *
     * @param start System.nanoTime() before the bound was set
     */
    static boolean isOfWrites(ResolvedRequest request, @Nullable LockQuery<?> query, long start, SQLException e) {
        if (query == null || !query.isCommitting() || !SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return false;
        }
        boolean timeout = ServerErrors.isTimeout(e);
        return switch (WaitKind.of(request.lockWait())) {
            case FOREVER -> !timeout;
            case NO_WAIT -> timeout;
            case AT_MOST -> !timeout || System.nanoTime() - start < Waits.atMostNanos(request.lockWait());
        };
    }

    /** Whether the session has a lock_timeout of its own, as it has again behind the locks. */
    static boolean mayBeOfQuery(PgSession session, @Nullable LockQuery<?> query) throws SQLException {
        return query != null
                && (!query.isCommitting()
                        || !session.ask("pg_catalog.current_setting('lock_timeout')")
                                .equals("0"));
    }

    /** Whether it was our lock_timeout that ended the wait, or NOWAIT, and not the session's. */
    private static boolean isBoundReached(LockScript script, SQLException e) {
        return script.isBounded() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState());
    }

    /** Whether the transaction can be made what it was before the script. */
    private static boolean canUndo(LockScript script, boolean begun, @Nullable Guard raised) {
        return !begun
                || script.savepoint() == Savepoint.AROUND
                || (script.savepoint() == Savepoint.AROUND_GUARD
                        && raised != null
                        && raised.lock() == Guard.Lock.NOT_TRIED);
    }

    /** Makes the transaction usable again, with nothing newly held. */
    private static void undo(PgSession session, ResolvedRequest request, boolean begun, SQLException cause) {
        try {
            session.execute(begun ? WaitSql.ROLLBACK_TO_SAVEPOINT : "rollback");
        } catch (SQLException e) {
            throw LockErrors.notUndone(request.asked(session.isHotStandby()), session.isAborted(), e, cause);
        }
    }
}
