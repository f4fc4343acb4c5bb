package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Absent;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.FrontGivenUp;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Refused;
import org.rowlock.internal.session.Outcome.Stale;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.value.Insert;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.internal.value.WaitNanos;

/**
 * One call for locks, from the request to the result. It notifies the observer, limits the wait, and enters the queue.
 * {@link #attempt} sends flushes until one of them has a final outcome.
 */
public final class LockCall {
    private static final Flush.Cache FLUSHES = new Flush.Cache(false);
    private static final Flush.Cache ON_CITUS = new Flush.Cache(true);

    /** How often another transaction may replace a row during one call, before the call gives up. */
    private static final int MOST_TRIES = 3;

    private static final long ROW_LOCK_WAITS = 3;
    private static final long GRACE_MILLIS = 2_000;

    /** The value that means that this call has set no timeout for the socket. */
    private static final int UNBOUND = -1;

    private final LockCalls calls;
    private final PgSession session;
    private final RequestParts request;
    private final LockWait lockWait;
    private final LockStrategy strategy;
    private final List<Insert> inserts;
    private final @Nullable RowStatement statement;
    private final boolean observed;

    private @Nullable ResolvedRequest resolved;

    /** Whether the transaction had begun before the call, so that it cannot be rolled back as a whole. */
    private boolean begun;

    /**
     * @param lockWait replaces the wait of the request
     * @param inserts the INSERTs of rows that may be absent, in the same order for all calls
     * @param statement another library's statement, which locks the row if it has the same effect as Rowlock's; null
     *     for none
     * @param observed whether the observer is notified
     */
    public LockCall(
            LockCalls calls,
            PgSession session,
            RequestParts request,
            LockWait lockWait,
            List<Insert> inserts,
            @Nullable RowStatement statement,
            boolean observed) {
        this.calls = calls;
        this.session = session;
        this.request = request;
        this.lockWait = lockWait;
        this.strategy = calls.tables().config().strategyOf(request.keys());
        this.inserts = inserts;
        this.statement = statement;
        this.observed = observed;
    }

    public PgSession session() {
        return session;
    }

    List<LockKey> keys() {
        return request.keys();
    }

    /** Whether a COMMIT may be sent together with the lock, because Rowlock has nothing to check before the COMMIT. */
    boolean mayCommit() {
        return inserts.isEmpty();
    }

    /** Returns the strategy of all keys, or BOTH if they differ. */
    public LockStrategy strategy() {
        return strategy;
    }

    /**
     * Acquires the locks, and runs the caller's statements after them. {@link #held} interprets the outcome.
     *
     * @param given the caller's statements after the locks. A COMMIT is delayed if Rowlock must first check what was
     *     locked
     */
    public Outcome attempt(@Nullable Tail given) throws SQLException {
        for (Insert insert : inserts) {
            WriteForms.check(session, insert);
        }
        Begun observing = observed ? calls.observer().begin(LockListener.Kind.ACQUISITION) : null;
        LockListener.Outcome told = LockListener.Outcome.FAILED;
        int socket = given == null ? boundSocket() : UNBOUND;
        PgSession.Autosave autosave = session.withoutAutosave();
        try {
            ResolvedRequest asks = resolve();
            begun = session.hasBegun();
            boolean isHeldBack = given != null && given.isCommitting() && isSeenFirst(asks);
            Tail tail = isHeldBack ? null : given;
            if (isHeldBack) {
                socket = boundSocket();
            }
            long start = System.nanoTime();
            try (QueueStay stay = QueueStay.enter(calls, session, request, strategy, lockWait, begun)) {
                RowStatement other = tail == null && isLockedBy(asks) ? statement : null;
                // The other library's statement locks the row, so a front lock would need a separate round trip.
                Front front = other != null && calls.front() != LockFront.ALWAYS
                        ? null
                        : stay.front(WaitNanos.remaining(lockWait, start), isOnCitus());
                Outcome outcome =
                        other != null && front == null ? lockBy(other) : untilDecided(asks, start, front, tail);
                stay.answered(outcome instanceof Held, tail == null || !tail.isCommitting());
                told = outcome instanceof Held held && isUnlocked(held)
                        ? LockListener.Outcome.ABSENT
                        : LockObserver.outcome(outcome);
                return outcome;
            }
        } catch (SQLException e) {
            // One of Rowlock's queries before a flush has failed. The error of a flush is never thrown here, because it
            // is part of the outcome.
            RowlockException meaning = LockErrors.ofLock(description(), e);
            told = LockObserver.outcome(meaning);
            throw meaning;
        } catch (RuntimeException e) {
            told = LockObserver.outcome(e);
            throw e;
        } finally {
            autosave.close();
            if (socket != UNBOUND) {
                session.restoreSocketBound(socket);
            }
            calls.observer().end(observing, request.keys(), request.mode(), strategy, lockWait, told);
        }
    }

    /**
     * Sends flushes until an outcome is final. For each outcome that is not final, a branch prepares the next flush.
     */
    private Outcome untilDecided(ResolvedRequest asked, long start, @Nullable Front inFront, @Nullable Tail given)
            throws SQLException {
        ResolvedRequest asks = asked;
        Front front = inFront;
        Tail tail = given;
        boolean lookedUpAgain = false;
        boolean replaced = false;
        for (int tries = 1; ; ) {
            ResolvedRequest next = asks.remaining(start).behind(front);
            boolean isCommitting = tail != null && tail.isCommitting();
            // A flush with a COMMIT requires READ COMMITTED, because a stale snapshot may lack the row that Rowlock
            // must check.
            boolean anyIsolation = asks.anyIsolationAllowed() && !isCommitting;
            Flush flush = (isOnCitus() ? ON_CITUS : FLUSHES).flush(next, begun, anyIsolation, tail);
            Outcome outcome = new LockFlush(this, flush, next, tail, begun).send();
            if (outcome instanceof Held held) {
                if (held.isComplete(asks) && !replaced) {
                    return held;
                }
                HeldLocks check = new HeldLocks(this, asks, held, begun);
                check.refuseUnsafe(isCommitting);
                if (!check.notInserted().isEmpty()) {
                    // Another transaction has deleted the row between its INSERT and its lock, or the INSERT creates a
                    // different row.
                    if (tries++ == MOST_TRIES) {
                        throw check.refusedInsert();
                    }
                    if (tail != null && begun) {
                        replaced = true; // The query has already run, and may have written.
                        tail = null;
                    } else if (tail != null) {
                        session.execute("rollback");
                    }
                } else if (replaced) {
                    throw replaced();
                } else if (tail != null && !isCommitting && check.isInsertedMeanwhile()) {
                    // Another transaction has inserted the row during the call, so the query may have read a row that
                    // is not locked.
                    if (begun || tries++ == MOST_TRIES) {
                        throw replaced();
                    }
                    session.execute("rollback");
                } else {
                    return held;
                }
            } else if (outcome instanceof FrontGivenUp && front != null) {
                // The row may be free although another transaction holds the front lock.
                front.givenUp();
                front = null;
            } else if (outcome instanceof Absent) {
                // The next flush contains only the locks. It shows which row is absent, or locks the row if it was
                // inserted meanwhile.
                tail = null;
            } else if (outcome instanceof Stale stale && stale.undone() && !lookedUpAgain) {
                forget(asks);
                asks = resolve();
                lookedUpAgain = true;
                if (isCommitting && isSeenFirst(asks)) {
                    // The type of the id column has changed, and the new type may have a different canonical text for
                    // the same id.
                    tail = null;
                }
            } else if (outcome instanceof Refused refused
                    && refused.check().isSnapshotStale()
                    && isCommitting
                    && asks.anyIsolationAllowed()) {
                // The COMMIT must not be sent until Rowlock has checked the locked row.
                tail = null;
            } else {
                if (outcome instanceof Stale) {
                    forget(asks);
                }
                if (replaced && !(outcome instanceof Failed)) {
                    // The query has run without its lock, so the transaction must be rolled back.
                    throw replaced();
                }
                return outcome;
            }
        }
    }

    /**
     * Aborts the transaction, and returns the exception for a query that has run without a lock on a row that exists
     * now.
     */
    private RowlockException replaced() {
        RowlockException refused = LockErrors.replaced(description());
        session.abort(refused);
        return refused;
    }

    private void forget(ResolvedRequest asked) {
        asked.tables().forEach(calls.tables().idColumns()::stale);
    }

    private ResolvedRequest resolve() {
        ResolvedRequest made = calls.tables().resolve(session, request, lockWait, strategy, inserts);
        resolved = made;
        return made;
    }

    /**
     * Sets a timeout for the socket, because a server that does not answer must not prolong a bounded wait. A flush
     * with a query has no timeout, because a query may take any time. The timeout ends the transaction. The timeout is
     * therefore far longer than the limit of the wait: a row lock can wait more than once, and a busy server is slow.
     */
    private int boundSocket() throws SQLException {
        if (!WaitNanos.isBounded(lockWait)) {
            return UNBOUND;
        }
        long waits = strategy == LockStrategy.ADVISORY ? 1 : ROW_LOCK_WAITS;
        long bound = WaitNanos.millis(lockWait) * waits
                + GRACE_MILLIS
                + request.keys().size();
        return session.boundSocket((int) Math.min(Integer.MAX_VALUE, bound));
    }

    /**
     * Whether Rowlock must check the locked row before a COMMIT: the id may have another spelling, or the row may be
     * absent in a case for which the lock statement cannot raise an error.
     */
    private boolean isSeenFirst(ResolvedRequest resolved) throws SQLException {
        if (resolved.isRowRequired() && (begun || isOnCitus())) {
            return true;
        }
        for (RowGroup group : resolved.rows()) {
            if (group.table().isAny(IdType::isPrintedOtherwise)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the other library's statement locks the same row in the same mode, and finds it by the same column. */
    private boolean isLockedBy(ResolvedRequest resolved) throws SQLException {
        RowStatement other = statement;
        if (other == null
                || strategy != LockStrategy.ROW
                || !resolved.isOneRow()
                || WaitNanos.isBounded(lockWait)
                || !inserts.isEmpty()
                || isOnCitus()) {
            return false;
        }
        RowTable table = resolved.rows().get(0).table();
        List<Column> columns = table.columns();
        return table.identity() != RowTable.Identity.GIVEN
                && columns.size() == 1
                && columns.get(0).name().equals(other.idColumn())
                && columns.get(0).kind().isReadAsGiven();
    }

    private Outcome lockBy(RowStatement other) {
        try {
            return new Held(null, other.lock() ? List.of() : request.keys(), null);
        } catch (SQLException e) {
            return new Failed(e, LockErrors.ofLock(description(), e));
        }
    }

    private boolean isOnCitus() throws SQLException {
        return calls.tables().idColumns().isOnCitus(session);
    }

    /**
     * Returns the held locks of an outcome.
     *
     * @throws RowlockException if the locks cannot be acquired, or a required row does not exist
     * @throws SQLException if the caller's query, or a query of Rowlock, failed
     */
    public Held held(Outcome outcome) throws SQLException {
        if (!(outcome instanceof Held held)) {
            throw LockErrors.ofOutcome(description(), outcome);
        }
        if (!request.isAbsentAllowed() && !held.absent().isEmpty()) {
            throw new HeldLocks(this, Objects.requireNonNull(resolved), held, begun).absentRow();
        }
        return held;
    }

    /** Whether a requested row is absent, and its absence is an error or leaves nothing locked. */
    private boolean isUnlocked(Held held) {
        return !held.absent().isEmpty() && (!request.isAbsentAllowed() || !isLockedByKeys(held.absent()));
    }

    /** Whether the strategies of keys lock the keys themselves, regardless of which rows exist. */
    public boolean isLockedByKeys(List<LockKey> keys) {
        return calls.tables().config().advisory(keys).size() == keys.size();
    }

    /** Returns the description of the request for messages. */
    public Description description() {
        ResolvedRequest known = resolved;
        return known == null
                ? calls.tables().description(session, request, lockWait)
                : known.description(session.readOnlyBy());
    }
}
