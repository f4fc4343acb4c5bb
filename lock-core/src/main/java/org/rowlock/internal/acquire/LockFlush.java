package org.rowlock.internal.acquire;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowlockException;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.WaitKind;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Absent;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.FrontGivenUp;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.Outcome.NotAvailable;
import org.rowlock.internal.sql.Outcome.Refused;
import org.rowlock.internal.sql.Outcome.Stale;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;

/**
 * One flush of a call: statements that are sent in one round trip. {@link #untilDecided} sends one flush after another.
 * {@link #send} turns the server's answer or error into an outcome. If the call can continue after the outcome, the
 * transaction is usable again.
 */
record LockFlush(
        LockCall call,
        Flush flush,
        ResolvedRequest request,
        @Nullable Tail tail) {
    private static final Flush.Cache FLUSHES = new Flush.Cache(false);
    private static final Flush.Cache ON_CITUS = new Flush.Cache(true);

    /** The largest number of attempts if other transactions insert or delete the row during the call. */
    private static final int MOST_TRIES = 3;

    /** Sends flushes until an outcome is final. */
    static Outcome untilDecided(
            LockCall call, ResolvedRequest asked, long start, @Nullable Front inFront, @Nullable Tail given)
            throws SQLException {
        PgSession session = call.session();
        boolean begun = call.hadBegun();
        ResolvedRequest asks = asked;
        Front front = inFront;
        Tail tail = given;
        boolean lookedUpAgain = false;
        boolean replaced = false;
        for (int tries = 1; ; ) {
            ResolvedRequest next = asks.remaining(start).behind(front);
            boolean isCommitting = tail != null && tail.isCommitting();
            // With a COMMIT in the flush, advisory locks require READ COMMITTED: at other levels, a stale snapshot may
            // hide the row, and a check after the COMMIT would be too late.
            boolean anyIsolation = asks.anyIsolationAllowed() && !isCommitting;
            Flush flush = (call.isOnCitus() ? ON_CITUS : FLUSHES).flush(next, begun, anyIsolation, tail);
            Outcome outcome = new LockFlush(call, flush, next, tail).send();
            if (outcome instanceof Held held) {
                if (held.isComplete(asks) && !replaced) {
                    return held;
                }
                HeldLocks check = new HeldLocks(call, asks, held);
                check.refuseUnsafe(isCommitting);
                if (!check.notInserted().isEmpty()) {
                    // Another transaction has deleted the row after the INSERT and before the lock, or the INSERT
                    // creates a different row.
                    if (tries++ == MOST_TRIES) {
                        throw check.refusedInsert();
                    }
                    if (tail != null && begun) {
                        replaced = true; // The query of the caller has already run, and may have changed rows.
                        tail = null;
                    } else if (tail != null) {
                        session.execute("rollback");
                    }
                } else if (replaced) {
                    throw replaced(call);
                } else if (tail != null && !isCommitting && check.isInsertedMeanwhile()) {
                    // Another transaction has inserted the row during the call, so the query may have read the row
                    // without a lock.
                    if (begun || tries++ == MOST_TRIES) {
                        throw replaced(call);
                    }
                    session.execute("rollback");
                } else {
                    return held;
                }
            } else if (outcome instanceof FrontGivenUp && front != null) {
                // The row itself may be free, so the next flush has no front lock.
                front.givenUp();
                front = null;
            } else if (outcome instanceof Absent) {
                // The next flush contains only the locks. The flush shows which row is absent, or locks a row that was
                // inserted meanwhile.
                tail = null;
            } else if (outcome instanceof Stale stale && stale.undone() && !lookedUpAgain) {
                call.forget(asks);
                asks = call.resolve();
                lookedUpAgain = true;
                if (isCommitting && call.mustCheckRowsFirst(asks)) {
                    tail = null; // The look-up has found Citus, where Rowlock must check the row before a COMMIT.
                }
            } else if (outcome instanceof Refused refused
                    && refused.isSnapshotStale()
                    && isCommitting
                    && asks.anyIsolationAllowed()) {
                // Above READ COMMITTED, Rowlock must check the locked row before the COMMIT.
                tail = null;
            } else {
                if (outcome instanceof Stale) {
                    call.forget(asks);
                }
                if (replaced && !(outcome instanceof Failed)) {
                    throw replaced(call);
                }
                return outcome;
            }
        }
    }

    /** Aborts the transaction, and returns the exception for a query that has run without the lock of its row. */
    private static RowlockException replaced(LockCall call) {
        RowlockException refused = TargetErrors.replaced(call.description());
        call.session().abort(refused);
        return refused;
    }

    private Outcome send() throws SQLException {
        long start = System.nanoTime();
        try {
            return FlushRunner.send(call.session(), flush, request, tail);
        } catch (SQLException e) {
            // An aborted transaction proves that the COMMIT of the flush has not run, so the flush may be sent again.
            // Before its savepoint, the front lock calls set_config, which the role may not be allowed to execute.
            if (request.front() != null
                    && call.session().isAborted()
                    && ServerErrors.mayBeOfFront(e)
                    && (SqlState.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())
                            || FrontSql.undoes(call.session().driver()))) {
                return undone(e, true, new FrontGivenUp());
            }
            Outcome raised =
                    TargetErrors.isIdentityGone(request.tables(), e) ? new Stale(true) : ServerErrors.outcomeIn(e);
            if (raised == null) {
                return failed(start, e);
            }
            boolean undoes = !call.hadBegun() || flush.isBounded();
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
        if (isOfTail(start, e)) {
            return new Failed(e, null);
        }
        if (!flush.isBounded() || !SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return unusable(e);
        }
        Failed notUndone = undo(e);
        return notUndone != null ? notUndone : new NotAvailable(mayBeOfTail(), e);
    }

    /**
     * Whether the error lock_not_available certainly comes from the caller's statements, and not from the statement
     * that acquires the requested locks. A lock without NOWAIT fails only by a timeout. A lock with NOWAIT cannot time
     * out. A limited wait does not time out before its limit.
     *
     * <p>For a lock that does not wait forever, returns true only if the caller's statements include the COMMIT.
     * Without the COMMIT, Rowlock rolls back the flush, whatever caused the error.
     */
    private boolean isOfTail(long start, SQLException e) {
        if (tail == null || !SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            return false;
        }
        boolean timeout = ServerErrors.isOfProcessInterrupts(e);
        return switch (WaitKind.of(request.lockWait())) {
            case FOREVER -> !timeout;
            case NO_WAIT -> tail.isCommitting() && timeout;
            case AT_MOST -> {
                long took = System.nanoTime() - start;
                yield tail.isCommitting()
                        && (!timeout || took < request.lockWait().nanos());
            }
        };
    }

    /**
     * If the flush has a savepoint, rolls back to the savepoint, which releases the new locks, and then aborts the
     * transaction again. Without this step, the new locks would block other transactions until the caller rolls back.
     */
    private Failed unusable(SQLException e) {
        PgSession session = call.session();
        if (call.hadBegun() && (flush.isBounded() || flush.isCheckSaved()) && session.isAborted()) {
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
            if (!ServerErrors.isConnectionLost(cause)
                    && (session.hasBegun() || session.connection().isClosed())) {
                session.execute(call.hadBegun() ? WaitSql.ROLLBACK_TO_SAVEPOINT : "rollback");
            }
            return null;
        } catch (SQLException e) {
            return LockErrors.notUndone(
                    call.description(),
                    session.isAborted() && !session.connection().isClosed(),
                    e,
                    cause);
        }
    }
}
