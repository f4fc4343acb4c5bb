package org.rowlock;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.LockErrors.Asked;

/** Takes the locks of a request on a session: composes the script, runs it, and makes sense of what came back. */
final class LockAcquirer {
    private final LockScripts scripts = new LockScripts();
    private final Handover handover = new Handover(scripts);

    /**
     * Takes the locks, and runs the query behind them.
     *
     * @throws LockException if the locks cannot be had
     * @throws SQLException if the caller's query fails; never without a query
     */
    <T> ScriptResult<T> acquire(PgSession session, LockRequest request, @Nullable LockQuery<T> query)
            throws SQLException {
        AutoSave autosave = session.withoutAutosave();
        try {
            return acquireWithoutAutosave(session, request, query);
        } finally {
            session.setAutosave(autosave);
        }
    }

    private <T> ScriptResult<T> acquireWithoutAutosave(
            PgSession session, LockRequest request, @Nullable LockQuery<T> query) throws SQLException {
        boolean begun = session.hasBegun();
        // Before the transaction has begun the locks can still be handed over from the session, so even a request that
        // would survive a stale snapshot asks the guard to tell.
        boolean anyIsolation = begun && request.anyIsolationAllowed();
        LockScript script = scripts.script(request, anyIsolation, query);
        ScriptResult<T> result;
        try {
            result = ScriptRunner.run(session, script, request, query);
        } catch (MappingException e) {
            throw e.failure();
        } catch (SQLException e) {
            Guard raised = LockErrors.guardIn(e);
            if (raised != null && raised.isSnapshotStale() && !begun) {
                return handover.acquire(session, request, query, raised.isolation());
            }
            throw failure(session, script, request, query, begun, raised, e);
        }
        Guard guard = result.guard();
        if (guard != null && guard.lock() == Guard.Lock.NOT_TRIED) {
            if (guard.isSnapshotStale() && !begun) {
                return handover.acquire(session, request, query, guard.isolation());
            }
            throw LockErrors.refused(request.asked(session.isHotStandby()), guard, null);
        }
        check(session, request, guard, result);
        return result;
    }

    private static void check(PgSession session, LockRequest request, @Nullable Guard guard, ScriptResult<?> result) {
        if (guard == null) {
            return;
        }
        if (guard.lock() == Guard.Lock.TAKEN) {
            throw LockErrors.notAvailable(request.asked(session.isHotStandby()), false, null);
        }
        if (!guard.isReadCommitted() && request.isAnyRowAbsent(result.found())) {
            LockException refused = LockErrors.absentInSnapshot(request.asked(session.isHotStandby()), guard);
            abort(session, WaitSql.ABORT, refused);
            throw refused;
        }
    }

    private static <T> SQLException failure(
            PgSession session,
            LockScript script,
            LockRequest request,
            @Nullable LockQuery<T> query,
            boolean begun,
            @Nullable Guard raised,
            SQLException e)
            throws SQLException {
        Asked asked = request.asked(session.isHotStandby());
        if (raised != null || isBoundReached(script, e)) {
            boolean undone = undo(session, request, script, begun, e);
            // What a guard raised is not passed on as the cause: its mark is nobody's business.
            if (raised == null) {
                throw LockErrors.notAvailable(asked, query != null, e);
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
        if (script.hasSavepoint() && session.isAborted()) {
            abort(session, WaitSql.ROLLBACK_TO_SAVEPOINT + "; " + WaitSql.ABORT, e);
        }
        if (query == null) {
            throw LockErrors.translate(asked, e);
        }
        if (LockErrors.isDriverRefusal(e)) {
            throw new IllegalArgumentException(
                    "The SQL of the query does not fit its " + query.binds().size() + " bind values: " + query.sql()
                            + ". Give one value per parameter; nothing was locked.",
                    e);
        }
        LockException understood =
                LockErrors.isLockTarget(asked, e) ? LockErrors.translate(asked, e) : LockErrors.understood(asked, e);
        if (understood != null) {
            throw understood;
        }
        return e;
    }

    /**
     * Aborts the whole transaction. Where only the part behind our savepoint is aborted, the locks from before would keep
     * others waiting, say the winner of a deadlock, until the caller rolls back.
     */
    private static void abort(PgSession session, String sql, Exception cause) {
        try {
            session.execute(sql);
        } catch (SQLException e) {
            if (LockErrors.guardIn(e) == null) {
                cause.addSuppressed(e);
            }
        }
    }

    /** Whether it was our lock_timeout that ended the wait, or NOWAIT, and not the session's. */
    private static boolean isBoundReached(LockScript script, SQLException e) {
        return script.hasSavepoint() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState());
    }

    /** Makes the transaction usable again, with nothing newly held; tells whether that can be. */
    private static boolean undo(
            PgSession session, LockRequest request, LockScript script, boolean begun, SQLException cause) {
        try {
            if (!begun) {
                session.execute("rollback");
            } else if (script.hasSavepoint()) {
                session.execute(WaitSql.ROLLBACK_TO_SAVEPOINT);
            }
        } catch (SQLException e) {
            throw LockErrors.notUndone(request.asked(session.isHotStandby()), session.isAborted(), e, cause);
        }
        return script.hasSavepoint() || !begun;
    }
}
