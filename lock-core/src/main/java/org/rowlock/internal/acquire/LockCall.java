package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.Description;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.RowStatement;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.SocketBound;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.value.Insert;
import org.rowlock.internal.value.RequestParts;

/**
 * One call for locks. {@link #attempt} looks up the tables, waits in the queues, and lets {@link LockFlush} send
 * flushes until the outcome is final.
 */
public final class LockCall {
    public static final String NOTHING_LOCKED = "Nothing is locked";

    private static final long ROW_LOCK_WAITS = 3;
    private static final long GRACE_MILLIS = 2_000;

    private final LockCalls calls;
    private final PgSession session;
    private final RequestParts request;
    private final LockStrategy strategy;
    private final @Nullable RowStatement statement;
    private final boolean observed;

    private @Nullable ResolvedRequest resolved;

    /** Whether the transaction had begun before the call, and therefore must not be rolled back as a whole. */
    private boolean begun;

    /**
     * @param statement a statement of another library, which replaces the statement of Rowlock if both statements have
     *     the same effect; null for none
     */
    public LockCall(
            LockCalls calls,
            PgSession session,
            RequestParts request,
            @Nullable RowStatement statement,
            boolean observed) {
        this.calls = calls;
        this.session = session;
        this.request = request;
        this.strategy = calls.tables().strategyOf(request.keys());
        this.statement = statement;
        this.observed = observed;
    }

    PgSession session() {
        return session;
    }

    boolean hadBegun() {
        return begun;
    }

    /** Returns the strategy of the keys; BOTH if they have different strategies. */
    public LockStrategy strategy() {
        return strategy;
    }

    /**
     * Acquires the locks, and runs the caller's statements after the locks. {@link #held} interprets the outcome.
     *
     * @param given the caller's statements after the locks. If Rowlock must check the locked rows before a COMMIT, the
     *     statements are not sent
     */
    public Outcome attempt(@Nullable Tail given) throws SQLException {
        for (Insert insert : request.inserts()) {
            WriteForms.check(session, insert);
        }
        Begun observing = observed ? calls.observer().begin(LockListener.Kind.ACQUISITION) : null;
        LockListener.Outcome reported = LockListener.Outcome.FAILED;
        SocketBound socket = given == null ? boundSocket() : null;
        Runnable autosave = session.withoutAutosave();
        try {
            ResolvedRequest asks = resolve();
            begun = session.hasBegun();
            boolean isHeldBack = given != null && given.isCommitting() && mustCheckRowsFirst(asks);
            Tail tail = isHeldBack ? null : given;
            if (isHeldBack) {
                socket = boundSocket();
            }
            Outcome outcome = inQueues(asks, tail);
            // An absent row makes the call fail, or leaves a key without a lock.
            reported = outcome instanceof Held held
                            && !held.absent().isEmpty()
                            && !(request.isAbsentAllowed() && isLockedByKeys(held.absent()))
                    ? LockListener.Outcome.ABSENT
                    : LockObserver.outcome(outcome);
            return outcome;
        } catch (SQLException e) {
            // Errors of flushes are part of the outcome, so another statement has failed.
            RowlockException meaning = LockErrors.ofLock(description(), e);
            reported = LockObserver.outcome(meaning);
            throw meaning;
        } catch (RuntimeException e) {
            reported = LockObserver.outcome(e);
            throw e;
        } finally {
            autosave.run();
            if (socket != null) {
                socket.close();
            }
            calls.observer().end(observing, request.keys(), request.mode(), strategy, request.lockWait(), reported);
        }
    }

    /**
     * Sends the statements while the call has entries in queues. A call of {@code LockOperation} entered the admission
     * queues before it borrowed a connection. Any other exclusive call that may wait for one row with strategy ROW
     * enters a {@code ROW} queue.
     */
    private Outcome inQueues(ResolvedRequest asks, @Nullable Tail tail) throws SQLException {
        long start = System.nanoTime();
        KeyEntries admitted = KeyQueues.entered();
        boolean isQueued = strategy == LockStrategy.ROW
                && request.keys().size() == 1
                && !RequestParts.isShared(request.mode())
                && !request.lockWait().isNoWait();
        QueueEntry own = isQueued && admitted == null ? calls.enterRowQueue(session, request, begun) : null;
        try {
            boolean isOnCitus = isOnCitus();
            RowStatement other =
                    statement != null && tail == null && !isOnCitus && asks.isLockedBy(statement) ? statement : null;
            // With a statement of another library, a front lock would need a separate round trip.
            boolean mayFront = isQueued
                    && !begun
                    && !isOnCitus
                    && !session.isSimpleQueryMode()
                    && !request.lockWait().remaining(start).isNoWait()
                    && (other == null || calls.front() == LockFront.ALWAYS);
            LockKey first = request.keys().get(0);
            QueueEntry fronted = !mayFront ? null : admitted == null ? own : admitted.entryOf(first);
            Front front = fronted == null ? null : calls.frontLock(fronted, session, request);
            Outcome outcome = other != null && front == null
                    ? lockBy(other)
                    : LockFlush.untilDecided(this, asks, start, front, tail);
            boolean holds = outcome instanceof Held && (tail == null || !tail.isCommitting());
            if (own != null) {
                own.endServerWait(outcome instanceof Held, holds);
            }
            if (own != null && holds) {
                calls.lastGranted().put(session.driver(), own);
            } else if (admitted != null && outcome instanceof Held) {
                admitted.locked(request.keys(), holds);
            }
            return outcome;
        } finally {
            if (own != null) {
                own.leave();
            }
        }
    }

    void forget(ResolvedRequest asked) {
        asked.tables().forEach(calls.tables().idColumns()::stale);
    }

    ResolvedRequest resolve() {
        resolved = calls.tables().resolve(session, request, strategy);
        return resolved;
    }

    /**
     * Sets a socket timeout, so that a server that does not answer cannot prolong a bounded wait. The timeout is the
     * bound, plus 2 s for a slow server and 1 ms per key. With row locks, three times the bound is used, because one
     * row lock can wait more than once.
     */
    private @Nullable SocketBound boundSocket() throws SQLException {
        if (!request.lockWait().isBounded()) {
            return null;
        }
        long waits = strategy == LockStrategy.ADVISORY ? 1 : ROW_LOCK_WAITS;
        int keys = request.keys().size();
        return new SocketBound(session, request.lockWait().millis() * waits + GRACE_MILLIS + keys);
    }

    /**
     * Whether Rowlock must check the locked row before a COMMIT. Usually the lock statement raises an error for an
     * absent row, so that the COMMIT does not run. If the transaction had begun before the call, the error would abort
     * the transaction. On Citus, the lock statement raises no such error.
     */
    boolean mustCheckRowsFirst(ResolvedRequest resolved) throws SQLException {
        return resolved.isRowRequired() && (begun || isOnCitus());
    }

    private Outcome lockBy(RowStatement other) {
        try {
            return new Held(0, Outcome.READ_COMMITTED, other.lock());
        } catch (SQLException e) {
            return new Failed(e, LockErrors.ofLock(description(), e));
        }
    }

    boolean isOnCitus() throws SQLException {
        return calls.tables().idColumns().isOnCitus(session);
    }

    /**
     * Returns the held locks. Throws an exception if the outcome has no locks, if a required row is absent, or if a
     * listener has ended the transaction.
     *
     * @param undone what is not done if a listener has ended the transaction, for the message; null without listeners
     */
    public Held held(Outcome outcome, @Nullable String undone) throws SQLException {
        if (!(outcome instanceof Held held)) {
            throw LockErrors.ofOutcome(description(), outcome);
        }
        if (!request.isAbsentAllowed() && !held.absent().isEmpty()) {
            throw new HeldLocks(this, Objects.requireNonNull(resolved), held).absentRow();
        }
        if (undone != null) {
            session.refuseIfOver(undone);
        }
        return held;
    }

    /** Whether all given keys have advisory locks, which do not depend on the rows. */
    public boolean isLockedByKeys(List<LockKey> keys) {
        return calls.tables().advisory(keys).size() == keys.size();
    }

    public Description description() {
        return Description.of(request, strategy, resolved == null ? List.of() : resolved.rows(), session.readOnlyBy());
    }
}
