package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Refused;
import org.rowlock.internal.session.Outcome.Stale;
import org.rowlock.internal.session.Outcome.Taken;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Guard;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.Insert;
import org.rowlock.internal.text.SqlState;

/**
 * Takes the locks of a request on a session, with what is behind them: sends the flush, and makes sense of what came
 * back.
 *
 * @param begun whether the transaction had begun before
 */
record Attempt(
        PgSession session,
        Flushes flushes,
        ResolvedRequest request,
        @Nullable Tail tail,
        boolean begun) {
    /** How often a row may be replaced during one call. */
    private static final int MOST_TRIES = 3;

    Outcome run() throws SQLException {
        AutoSave autosave = session.withoutAutosave();
        try {
            return untilSeenLocked();
        } catch (SQLException e) {
            // Of a look of ours: those of the flush are in its outcome.
            throw LockErrors.ofLock(asked(), e);
        } finally {
            session.setAutosave(autosave);
        }
    }

    /**
     * The query must not have seen a row that is not locked, since the row lock in front of it found none. And a row
     * that was there for its insert, and was deleted before it was locked, is inserted again.
     */
    private Outcome untilSeenLocked() throws SQLException {
        // A row that a stale snapshot lacks has to be seen in front of the COMMIT.
        boolean anyIsolation = request.anyIsolationAllowed() && (tail == null || !tail.isCommitting());
        long start = System.nanoTime();
        Outcome outcome = once(request, anyIsolation);
        for (int tries = 1; tries < MOST_TRIES && isDeletedMeanwhile(outcome); tries++) {
            ResolvedRequest again = request.remaining(start);
            if (tail != null && begun) {
                // The query has run, and may have written. If the row can be made now it was deleted meanwhile.
                Outcome unused = new Attempt(session, flushes, again, null, true).untilSeenLocked();
                throw aborted(LockErrors.replaced(asked()));
            }
            if (tail != null) {
                session.execute("rollback");
            }
            outcome = once(again, anyIsolation);
        }
        refuseNotInserted(outcome);
        for (int tries = 1; isInsertedMeanwhile(outcome); tries++) {
            if (begun || tries == MOST_TRIES) {
                throw aborted(LockErrors.replaced(asked()));
            }
            session.execute("rollback");
            outcome = once(request.remaining(start), anyIsolation);
        }
        return outcome;
    }

    /** Undoes an INSERT that has not made the row that is to be locked: it may have made another. */
    private void refuseNotInserted(Outcome outcome) throws SQLException {
        List<LockKey> missing =
                outcome instanceof Held held ? Insert.missing(request.inserts(), held.absent()) : List.of();
        if (!missing.isEmpty()) {
            refuse(TargetErrors.notInserted(asked(), missing, !begun));
        }
    }

    private boolean isDeletedMeanwhile(Outcome outcome) {
        return outcome instanceof Held held
                && !Insert.missing(request.inserts(), held.absent()).isEmpty();
    }

    private boolean isInsertedMeanwhile(Outcome outcome) throws SQLException {
        return tail != null
                && !tail.isCommitting()
                && outcome instanceof Held held
                && !held.absent().isEmpty()
                && new AbsentRows(session, request, held.absent()).isInsertedMeanwhile();
    }

    /** Sends the flush, once; the locks alone where the COMMIT has to wait for what they say. */
    private Outcome once(ResolvedRequest asked, boolean anyIsolation) throws SQLException {
        Flush flush = flushes.flush(asked, begun, anyIsolation, tail);
        long start = System.nanoTime();
        Outcome outcome;
        try {
            outcome = FlushRunner.send(session, flush, asked, tail);
        } catch (SQLException e) {
            Front front = asked.front();
            // Only if the transaction is not over: behind its COMMIT nothing may be sent again.
            if (front != null
                    && session.isAborted()
                    && ServerErrors.mayBeOfFront(e)
                    && FrontSql.undoes(session.driver())) {
                Failed notUndone = undo(e);
                if (notUndone != null) {
                    return notUndone;
                }
                front.givenUp();
                unsent();
                return once(asked.remaining(start).behind(null), anyIsolation);
            }
            outcome = failure(flush, asked, start, e);
        }
        if (outcome instanceof Held held) {
            refuseMiscounted(asked, held);
            refuseMisnamed(held);
            refuseAbsentInSnapshot(held);
        } else if (asked.anyIsolationAllowed()
                && outcome instanceof Refused refused
                && refused.guard().isSnapshotStale()) {
            ResolvedRequest again = asked.remaining(start);
            return new Attempt(session, flushes, again, null, begun).once(again, true);
        }
        return outcome;
    }

    private void unsent() {
        if (tail != null) {
            tail.unsent().run();
        }
    }

    /** What an error means, with the transaction made usable again where it can be. */
    private Outcome failure(Flush flush, ResolvedRequest asked, long start, SQLException e) throws SQLException {
        Guard raised = ServerErrors.guardIn(e);
        boolean stale =
                (raised != null && raised.lock() == Guard.Lock.STALE) || ServerErrors.isIdentityGone(asked.tables(), e);
        if (!stale && raised == null && ServerErrors.isOfTail(asked, tail, start, e)) {
            return new Failed(e, null);
        }
        if (stale || raised != null) {
            unsent();
        }
        boolean boundReached = flush.isBounded() && SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState());
        if (stale || raised != null || boundReached) {
            boolean untried = !stale && raised != null && raised.lock() == Guard.Lock.NOT_TRIED;
            boolean undone = !begun || flush.isBounded() || (flush.isGuardSaved() && untried);
            Failed notUndone = undone ? undo(e) : null;
            if (notUndone != null) {
                return notUndone;
            }
            if (stale) {
                return new Stale(undone);
            }
            if (raised == null) {
                return new Taken(mayBeOfTail(), e);
            }
            if (raised.lock() == Guard.Lock.TAKEN && undone) {
                return Taken.AT_ONCE;
            }
            if (untried) {
                // What a guard raised is not passed on as the cause: its mark is nobody's business.
                boolean ofSnapshot = raised.isSnapshotStale();
                return new Refused(raised, ofSnapshot ? null : new SQLException("The guard refused", e.getSQLState()));
            }
        }
        if (begun && (flush.isBounded() || flush.isGuardSaved()) && session.isAborted()) {
            // Else the locks from before would keep others waiting, say the winner of a deadlock, until the caller
            // rolls back.
            session.abortTransaction(WaitSql.ROLLBACK_TO_SAVEPOINT + "; " + WaitSql.ABORT, e);
        }
        return new Failed(e, LockErrors.ofFlush(asked(), !request.inserts().isEmpty(), tail, e));
    }

    private boolean mayBeOfTail() throws SQLException {
        return tail != null
                && !tail.parts().isEmpty()
                && (!tail.isCommitting()
                        || !session.ask("pg_catalog.current_setting('lock_timeout')")
                                .equals("0"));
    }

    /** Makes the transaction usable again, with nothing newly held; or says why it could not be. */
    private @Nullable Failed undo(@Nullable Throwable cause) throws SQLException {
        try {
            if (!isConnectionLost(cause) && (session.hasBegun() || session.isClosed())) {
                session.execute(begun ? WaitSql.ROLLBACK_TO_SAVEPOINT : "rollback");
            }
            return null;
        } catch (SQLException e) {
            return LockErrors.notUndone(asked(), session.isAborted() && !session.isClosed(), e, cause);
        }
    }

    private static boolean isConnectionLost(@Nullable Throwable cause) {
        return cause instanceof SQLException e && ServerErrors.isConnectionLost(e);
    }

    /** Refuses to go on as if all keys were locked. */
    private void refuseMiscounted(ResolvedRequest asked, Held held) {
        int locked = held.guard() == null ? 0 : held.guard().locked();
        int keys = asked.advisory().keys().size();
        if (locked != keys) {
            boolean stored = tail != null && tail.isCommitting();
            RowlockException refused = LockErrors.miscounted(asked(), locked, keys, stored);
            throw stored ? refused : aborted(refused);
        }
    }

    /** Refuses to lock a row whose own key is another than the one that is held. */
    private void refuseMisnamed(Held held) throws SQLException {
        Misnamed misnamed = held.misnamed();
        if (misnamed == null && !request.advisory().isEmpty() && !held.absent().isEmpty()) {
            misnamed = new AbsentRows(session, request, held.absent()).misnamed();
        }
        if (misnamed != null) {
            refuse(TargetErrors.misnamed(asked(), misnamed, !begun));
        }
    }

    /** Has nothing of the call stay: a transaction that had begun before cannot go on without its earlier part. */
    private void refuse(RowlockException refused) throws SQLException {
        if (begun) {
            throw aborted(refused);
        }
        session.execute("rollback");
        throw refused;
    }

    private void refuseAbsentInSnapshot(Held held) {
        Guard guard = held.guard();
        if (guard != null && !guard.isReadCommitted() && !held.absent().isEmpty()) {
            throw aborted(LockErrors.absentInSnapshot(asked(), guard));
        }
    }

    private RowlockException aborted(RowlockException refused) {
        session.abortTransaction(WaitSql.ABORT, refused);
        return refused;
    }

    private Asked asked() {
        return request.asked(session.readOnlyBy());
    }
}
