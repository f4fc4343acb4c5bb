package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockTargetException;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ScriptRunner;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.SessionLocks;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.LockScript;
import org.rowlock.internal.sql.ScriptResult;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.SqlState;

/**
 * Takes locks in front of a REPEATABLE READ or SERIALIZABLE transaction that has not begun.
 *
 * <p>There a lock statement would take the transaction's snapshot before it waits, and every later read would be stale.
 * So the wait happens for a session lock in a READ COMMITTED transaction of its own; then the caller's transaction
 * begins, and its first statement takes the transaction lock and lets go of the session lock. The hold passes from
 * session to transaction without a gap, the snapshot is younger than the lock, and commit releases it.
 *
 * <p>The transactions are chained ({@code COMMIT AND CHAIN}), so that the session is never idle in between: a pooler in
 * transaction mode keeps the server connection, and the characteristics of the caller's transaction carry over.
 */
final class Handover {
    private final Scripts scripts;

    Handover(Scripts scripts) {
        this.scripts = scripts;
    }

    /**
     * Takes the locks. The transaction has been begun by Rowlock alone, and nothing of the caller's is in it.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     */
    ScriptResult acquire(PgSession session, ResolvedRequest request, @Nullable LockQuery<?> query, String isolation)
            throws SQLException {
        long start = System.nanoTime();
        // What comes from outside never becomes SQL.
        String level = isolation.equals("serializable") ? "serializable" : "repeatable read";
        try {
            SessionLocks locks = SessionLocks.derive(
                    session,
                    request,
                    scripts.areForCitus(session),
                    "rollback and chain",
                    "set transaction isolation level read committed");
            try {
                locks.lock();
                locks.passToTransaction("commit and chain", "set transaction isolation level " + level);
            } catch (Throwable e) {
                // Throwable, as an Error must not leave a session lock in the pool either.
                locks.unlock(e);
                throw e;
            }
            Guard held = Guard.held(level);
            if (request.rows().isEmpty() && request.openKeysAlone().isEmpty() && query == null) {
                return ScriptResult.of(held);
            }
            ResolvedRequest rest = request.rowLocksOnly(Waits.remaining(request.lockWait(), start));
            LockScript script = scripts.of(session).script(rest, false, true, query);
            ScriptResult result = ScriptRunner.run(session, script, rest, query);
            if (result.taken()) {
                throw LockErrors.notAvailable(request.asked(session.isHotStandby()), false, null);
            }
            return new ScriptResult(held, result.found(), result.meant(), false);
        } catch (SQLException e) {
            rollback(session, request, e);
            throw failure(session, request, query, start, e);
        } catch (RuntimeException | Error e) {
            rollback(session, request, e);
            abortUnlessUsable(session, e);
            throw e;
        }
    }

    private SQLException failure(
            PgSession session, ResolvedRequest request, @Nullable LockQuery<?> query, long start, SQLException e)
            throws SQLException {
        Asked asked = request.asked(session.isHotStandby());
        Guard raised = ServerErrors.guardIn(e);
        if ((raised != null && raised.lock() == Guard.Lock.STALE) || isIdentityGone(session, request, query, e)) {
            throw LockErrors.stale(asked, true);
        }
        if (LockAcquirer.isOfWrites(request, query, start, e)) {
            return e;
        }
        if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                && WaitKind.of(request.lockWait()) != WaitKind.FOREVER) {
            throw LockErrors.notAvailable(asked, LockAcquirer.mayBeOfQuery(session, query), e);
        }
        // What may have committed is judged by whoever sent it, who needs the session as it is, and rolls back.
        if (query == null || !query.isCommitting()) {
            abort(session, e);
        }
        LockException understood = query == null || ServerErrors.isLockTarget(asked, query.binds(), e)
                ? LockErrors.translate(asked, e)
                : LockErrors.understood(asked, e);
        if (understood != null) {
            throw understood;
        }
        return e;
    }

    private boolean isIdentityGone(
            PgSession session, ResolvedRequest request, @Nullable LockQuery<?> query, SQLException e)
            throws SQLException {
        ResolvedRequest rest = request.rowLocksOnly(request.lockWait());
        return ServerErrors.isIdentityGone(
                scripts.of(session).script(rest, false, true, query).ownStatements(),
                query == null ? null : query.sql(),
                e);
    }

    private static void abortUnlessUsable(PgSession session, Throwable e) {
        boolean usable = (e instanceof LockNotAvailableException unavailable && unavailable.isTransactionUsable())
                || (e instanceof LockTargetException target && target.isUndone());
        if (!usable) {
            abort(session, e);
        }
    }

    /**
     * Leaves the caller's transaction aborted, as a failed lock does. What failed was a transaction of ours in front of
     * it; with that one gone the caller's next statement would begin a new one, and commit.
     */
    private static void abort(PgSession session, Throwable cause) {
        if (!(cause instanceof SQLException e && SqlState.isConnectionLost(e.getSQLState()))) {
            session.abortTransaction(WaitSql.ABORT, cause);
        }
    }

    /** Ends our transactions, back to where the caller was: a transaction that has not begun. */
    private static void rollback(PgSession session, ResolvedRequest request, Throwable cause) {
        if (cause instanceof SQLException e && SqlState.isConnectionLost(e.getSQLState())) {
            return;
        }
        try {
            if (session.hasBegun() || session.isClosed()) {
                session.execute("rollback");
            }
        } catch (SQLException e) {
            throw LockErrors.notUndone(request.asked(session.isHotStandby()), session.isAborted(), e, cause);
        }
    }
}
