package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Tail;
import org.rowlock.internal.request.WaitKind;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Stale;
import org.rowlock.internal.session.Outcome.Taken;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.SessionLocks;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Guard;
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
    private final PgSession session;
    private final Flushes flushes;
    private final ResolvedRequest request;
    private final @Nullable Tail tail;

    Handover(PgSession session, Flushes flushes, ResolvedRequest request, @Nullable Tail tail) {
        this.session = session;
        this.flushes = flushes;
        this.request = request;
        this.tail = tail;
    }

    /**
     * Takes the locks. The transaction has been begun by Rowlock alone, and nothing of the caller's is in it.
     *
     * @param isolation the level of the caller's transaction, as the server spells it
     */
    Outcome acquire(String isolation) throws SQLException {
        long start = System.nanoTime();
        // What comes from outside never becomes SQL.
        String level = isolation.equals("serializable") ? "serializable" : "repeatable read";
        try {
            Outcome refused = passFromSession("set transaction isolation level " + level);
            if (refused != null) {
                return orNotUndone(refused);
            }
            Guard held = Guard.held(level);
            if (request.rows().isEmpty()
                    && request.openKeysAlone().isEmpty()
                    && request.inserts().isEmpty()
                    && tail == null) {
                return new Held(held, List.of(), List.of());
            }
            ResolvedRequest rest = request.rowLocksOnly(Waits.remaining(request.lockWait(), start));
            Outcome outcome = FlushRunner.send(session, flushes.flush(rest, false, true, tail), rest, tail);
            return outcome instanceof Held of ? new Held(held, of.found(), of.meant()) : orNotUndone(outcome);
        } catch (SQLException e) {
            Failed notUndone = rollBack(e);
            return notUndone == null ? failure(start, e) : notUndone;
        } catch (RuntimeException | Error e) {
            Failed notUndone = rollBack(e);
            if (notUndone != null && notUndone.meaning() != null) {
                throw notUndone.meaning();
            }
            abort(e);
            throw e;
        }
    }

    /**
     * Locks for the session, and then for the transaction, which begins behind the wait. What keeps it from that, or
     * null.
     */
    private @Nullable Outcome passFromSession(String level) throws SQLException {
        SessionLocks locks = SessionLocks.derive(
                session,
                request,
                flushes.areForCitus(),
                "rollback and chain",
                "set transaction isolation level read committed");
        try {
            boolean got = locks.lock();
            if (got && locks.passToTransaction("commit and chain", level)) {
                return null;
            }
            locks.unlock(null);
            return got ? new Stale(true) : Outcome.Taken.AT_ONCE;
        } catch (Throwable e) {
            // Throwable, as an Error must not leave a session lock in the pool either.
            locks.unlock(e);
            throw e;
        }
    }

    private Outcome failure(long start, SQLException e) throws SQLException {
        Guard raised = ServerErrors.guardIn(e);
        if ((raised != null && raised.lock() == Guard.Lock.STALE) || isIdentityGone(e)) {
            return new Stale(true);
        }
        if (ServerErrors.isOfWrites(request, tail, start, e)) {
            return new Failed(e, null);
        }
        if (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                && WaitKind.of(request.lockWait()) != WaitKind.FOREVER) {
            return new Taken(Attempt.mayBeOfTail(session, tail), e);
        }
        // What may have committed is judged by the caller, which needs the session as it is, and rolls back.
        if (tail == null || !tail.isCommitting()) {
            abort(e);
        }
        return new Failed(e, LockErrors.meaning(request.asked(session.isHotStandby()), tail, e));
    }

    private boolean isIdentityGone(SQLException e) {
        ResolvedRequest rest = request.rowLocksOnly(request.lockWait());
        return ServerErrors.isIdentityGone(
                flushes.flush(rest, false, true, tail).ownSql(), tail == null ? null : tail.sql(), e);
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

    private Outcome orNotUndone(Outcome outcome) {
        Failed notUndone = rollBack(null);
        return notUndone == null ? outcome : notUndone;
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
