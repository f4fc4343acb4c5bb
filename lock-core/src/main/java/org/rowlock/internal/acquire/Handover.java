package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Stale;
import org.rowlock.internal.session.Outcome.Taken;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.SessionLocks;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.SqlState;

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
 */
record Handover(PgSession session, ResolvedRequest request) {
    /**
     * Takes the locks. The transaction has been begun by Rowlock alone, and nothing of the caller's is in it.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     * @return what keeps the caller's transaction from holding them; null if it does
     */
    @Nullable
    Outcome acquire(String isolation, boolean onCitus) throws SQLException {
        // What comes from outside never becomes SQL.
        String level = isolation.equals("serializable") ? "serializable" : "repeatable read";
        try {
            Outcome refused = passFromSession("set transaction isolation level " + level, onCitus);
            if (refused == null) {
                return null;
            }
            Failed notUndone = rollBack(null);
            return notUndone == null ? refused : notUndone;
        } catch (SQLException e) {
            Failed notUndone = rollBack(e);
            if (notUndone != null) {
                return notUndone;
            }
            if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                    && !request.lockWait().equals(LockWait.forever())) {
                return new Taken(false, e);
            }
            abort(e);
            return new Failed(e, LockErrors.translate(request.asked(session.isHotStandby()), e));
        } catch (RuntimeException | Error e) {
            Failed notUndone = rollBack(e);
            if (notUndone != null && notUndone.meaning() != null) {
                throw notUndone.meaning();
            }
            abort(e);
            throw e;
        }
    }

    /** Locks for the session, and then for the transaction, which begins behind the wait. */
    private @Nullable Outcome passFromSession(String level, boolean onCitus) throws SQLException {
        SessionLocks locks = SessionLocks.begin(
                session, request, onCitus, "rollback and chain", "set transaction isolation level read committed");
        try {
            boolean got = locks.lock();
            if (got && locks.passToTransaction("commit and chain", level)) {
                return null;
            }
            locks.unlock(null);
            return got ? new Stale(true) : Taken.AT_ONCE;
        } catch (Throwable e) {
            // Throwable, as an Error must not leave a session lock in the pool either.
            locks.unlock(e);
            throw e;
        }
    }

    /**
     * Leaves the caller's transaction aborted, as a failed lock does. What failed was a transaction of ours in front of
     * it; with that one gone the caller's next statement would begin a new one, and commit.
     */
    private void abort(Throwable cause) {
        if (!(cause instanceof SQLException e && SqlState.isConnectionLost(e.getSQLState()))) {
            session.abortTransaction(WaitSql.ABORT, cause);
        }
    }

    /**
     * Ends our transactions, back to where the caller was: a transaction that has not begun. What kept it from that, or
     * null.
     */
    private @Nullable Failed rollBack(@Nullable Throwable cause) {
        if (cause instanceof SQLException e && SqlState.isConnectionLost(e.getSQLState())) {
            return null;
        }
        try {
            if (session.hasBegun() || session.isClosed()) {
                session.execute("rollback");
            }
            return null;
        } catch (SQLException e) {
            return LockErrors.notUndone(request.asked(session.isHotStandby()), session.isAborted(), e, cause);
        }
    }
}
