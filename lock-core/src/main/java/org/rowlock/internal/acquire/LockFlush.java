package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.FrontGivenUp;
import org.rowlock.internal.sql.Outcome.NotAvailable;
import org.rowlock.internal.sql.Outcome.Refused;
import org.rowlock.internal.sql.Outcome.Stale;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;

/**
 * One flush of a call: statements that are sent in one round trip. {@link #send} turns the server's answer or error
 * into an outcome. If the call can continue after the outcome, the transaction is usable again.
 */
record LockFlush(
        LockCall call,
        Flush flush,
        ResolvedRequest request,
        @Nullable Tail tail,
        boolean begun) {
    Outcome send() throws SQLException {
        long start = System.nanoTime();
        try {
            return FlushRunner.send(call.session(), flush, request, tail);
        } catch (SQLException e) {
            // An aborted transaction proves that the COMMIT of the flush has not run, so the flush may be sent again.
            if (request.front() != null
                    && call.session().isAborted()
                    && ServerErrors.mayBeOfFront(e)
                    && FrontSql.undoes(call.session().driver())) {
                return undone(e, true, new FrontGivenUp());
            }
            Outcome raised =
                    TargetErrors.isIdentityGone(request.tables(), e) ? new Stale(true) : ServerErrors.outcomeIn(e);
            if (raised == null) {
                return failed(start, e);
            }
            boolean undoes = !begun || flush.isBounded();
            if (raised instanceof Stale) {
                return undone(e, undoes, new Stale(undoes));
            }
            if (raised instanceof Refused refused) {
                return undone(e, undoes || flush.isCheckSaved(), refused.by(e));
            }
            return undone(e, true, raised);
        }
    }

    private Outcome failed(long start, SQLException e) throws SQLException {
        if (ServerErrors.isOfTail(request, tail, start, e)) {
            return new Failed(e, null);
        }
        if (!flush.isBounded() || !SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return unusable(e);
        }
        Failed notUndone = undo(e);
        return notUndone != null ? notUndone : new NotAvailable(mayBeOfTail(), e);
    }

    /**
     * If the flush has a savepoint, rolls back to the savepoint, which releases the new locks, and then aborts the
     * transaction again. Without this step, the new locks would block other transactions until the caller rolls back.
     */
    private Failed unusable(SQLException e) {
        PgSession session = call.session();
        if (begun && (flush.isBounded() || flush.isCheckSaved()) && session.isAborted()) {
            session.abortTransaction(WaitSql.ROLLBACK_TO_SAVEPOINT + "; " + WaitSql.ABORT, e);
        }
        return new Failed(
                e, LockErrors.ofFlush(call.description(), !request.inserts().isEmpty(), tail, e));
    }

    private boolean mayBeOfTail() throws SQLException {
        return tail != null
                && !tail.parts().isEmpty()
                && (!tail.isCommitting()
                        || !call.session()
                                .ask("select pg_catalog.current_setting('lock_timeout')")
                                .equals("0"));
    }

    private Outcome undone(SQLException cause, boolean undoes, Outcome outcome) throws SQLException {
        Failed notUndone = undoes ? undo(cause) : null;
        if (tail != null) {
            tail.ifNothingRan().run();
        }
        return notUndone != null ? notUndone : outcome;
    }

    /** Makes the transaction usable again, without the new locks. Returns the failure if this is impossible. */
    private @Nullable Failed undo(SQLException cause) throws SQLException {
        PgSession session = call.session();
        try {
            if (!ServerErrors.isConnectionLost(cause) && (session.hasBegun() || session.isClosed())) {
                session.execute(begun ? WaitSql.ROLLBACK_TO_SAVEPOINT : "rollback");
            }
            return null;
        } catch (SQLException e) {
            return LockErrors.notUndone(call.description(), session.isAborted() && !session.isClosed(), e, cause);
        }
    }
}
