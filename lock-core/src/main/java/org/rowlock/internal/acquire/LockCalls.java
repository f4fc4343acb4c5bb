package org.rowlock.internal.acquire;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockFront;
import org.rowlock.LockKey;
import org.rowlock.LockListener.LockAcquisition;
import org.rowlock.LockStrategy;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.Events;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.KeyEntries;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.Insert;

/**
 * One call for locks, from the request to what came back: bounded, observed, and with a table that has changed looked
 * up again.
 *
 * @param early where commits let go of the locks before they are durable, if others want them; else null
 * @param front whether the advisory key of a row goes in front of its lock
 * @param holders by connection, the last that was granted a row; its transaction has ended when the connection begins
 *     another
 */
public record LockCalls(
        KnownTables tables,
        LockObserver observer,
        KeyQueues queues,
        @Nullable EarlyRelease early,
        LockFront front,
        Map<Connection, QueueEntry> holders) {
    private static final Flushes FLUSHES = new Flushes(false);
    private static final Flushes ON_CITUS = new Flushes(true);

    /** Whose transactions end with a plain commit. */
    public LockCalls(KnownTables tables, LockObserver observer, KeyQueues queues) {
        this(tables, observer, queues, null, LockFront.ADAPTIVE);
    }

    public LockCalls(
            KnownTables tables,
            LockObserver observer,
            KeyQueues queues,
            @Nullable EarlyRelease early,
            LockFront front) {
        this(tables, observer, queues, early, front, Collections.synchronizedMap(new WeakHashMap<>()));
    }

    /**
     * How a transaction is to end.
     *
     * @param wanted whether others want what it has locked, asked when it is to end
     */
    public Ending.Choice endings(BooleanSupplier wanted) {
        EarlyRelease how = early;
        return how == null ? Ending.Choice.PLAIN : session -> how.ending(session, wanted.getAsBoolean());
    }

    public <T> List<T> claim(PgSession session, Claim claim, RowMapper<T> mapper) throws SQLException {
        return new ClaimRunner<>(session, tables, observer, claim, mapper).claim();
    }

    /**
     * Takes the locks and runs what is behind them.
     *
     * @param observed whether the observer is notified
     * @throws RowlockException if the locks cannot be had, or a row is required or was to be inserted and is not there
     * @throws SQLException if the caller's query fails, or a look at the server does
     */
    public Held acquire(PgSession session, ResolvedRequest request, @Nullable Tail tail, boolean observed)
            throws SQLException {
        return held(session, request, attempt(session, request, tail, observed));
    }

    /** What is held after an attempt; throws as {@link #acquire}. */
    public Held held(PgSession session, ResolvedRequest request, Outcome outcome) throws SQLException {
        if (!(outcome instanceof Held held)) {
            throw LockErrors.of(request.asked(session.isHotStandby()), outcome);
        }
        List<LockKey> notInserted = request.notInserted(held.absent());
        if (!notInserted.isEmpty()) {
            throw TargetErrors.notInserted(request.asked(session.isHotStandby()), notInserted);
        }
        if (request.request().isRowRequired() && !held.absent().isEmpty()) {
            throw TargetErrors.rowAbsent(request.asked(session.isHotStandby()), held.absent());
        }
        return held;
    }

    private void refuseUnlookedFor(PgSession session, ResolvedRequest request) {
        for (LockKey key : request.keys()) {
            if (tables.config().strategyOf(key) == LockStrategy.ADVISORY) {
                throw TargetErrors.rowNotLookedFor(request.asked(session.isHotStandby()), key);
            }
        }
    }

    /** The same as {@link #acquire}, and gives what became of it if the locks could not be had, or the tail failed. */
    public Outcome attempt(PgSession session, ResolvedRequest request, @Nullable Tail tail, boolean observed)
            throws SQLException {
        if (request.request().isRowRequired()) {
            refuseUnlookedFor(session, request);
        }
        for (Insert insert : request.inserts()) {
            WriteForms.check(session, insert);
        }
        Events.@Nullable OfAcquisition event = observed ? observer.begin() : null;
        long start = System.nanoTime();
        LockAcquisition.Outcome told = LockAcquisition.Outcome.FAILED;
        try {
            Outcome outcome = bounded(session, request, tail);
            told = told(outcome);
            return outcome;
        } catch (SQLException | RuntimeException e) {
            told = LockObserver.outcome(e);
            throw e;
        } finally {
            if (observed) {
                observer.end(
                        event, start, request.keys(), request.mode(), request.strategy(), request.lockWait(), told);
            }
        }
    }

    private static LockAcquisition.Outcome told(Outcome outcome) {
        if (outcome instanceof Held) {
            return LockAcquisition.Outcome.ACQUIRED;
        }
        if (outcome instanceof Outcome.Taken) {
            return LockAcquisition.Outcome.NOT_AVAILABLE;
        }
        RowlockException meaning = outcome instanceof Outcome.Failed failed ? failed.meaning() : null;
        return meaning == null ? LockAcquisition.Outcome.FAILED : LockObserver.outcome(meaning);
    }

    /** A server that does not answer must not hold a bounded wait for longer. A query may take as long as it takes. */
    private Outcome bounded(PgSession session, ResolvedRequest request, @Nullable Tail tail) throws SQLException {
        int bound = tail == null ? request.socketBoundMillis() : 0;
        if (bound == 0) {
            return inTurn(session, request, tail);
        }
        int before = session.boundSocket(bound);
        try {
            return inTurn(session, request, tail);
        } finally {
            session.restoreSocketBound(before);
        }
    }

    /** The place is left as soon as the server has answered, since the end of the transaction cannot be seen. */
    private Outcome inTurn(PgSession session, ResolvedRequest request, @Nullable Tail tail) throws SQLException {
        KeyEntries entered = KeyEntries.entered();
        if (!request.isOneRowExclusive()) {
            return told(entered, request, tail, lookedUp(session, request, tail));
        }
        boolean begun = session.hasBegun();
        if (entered != null) {
            QueueEntry own = begun ? null : entered.entryOf(request.first());
            Front asked = own == null ? null : own.front(front);
            return told(entered, request, tail, lookedUp(session, behind(session, request, asked), tail));
        }
        QueueEntry last = begun ? null : holders.get(session.driver());
        if (last != null) {
            last.released(false);
        }
        long start = System.nanoTime();
        QueueEntry entry =
                queues.entry(31 * request.first().hashCode() + session.url().hashCode(), null);
        boolean got = false;
        try {
            // Only one that would wait asks, and has time for it.
            if (!entry.tryEnter() && (!begun || session.holdsNoRow())) {
                entry.enter(request.lockWait().nanos(), Integer.MAX_VALUE);
            }
            Front asked = begun ? null : entry.front(front);
            Outcome outcome = lookedUp(session, behind(session, request.remaining(start), asked), tail);
            got = outcome instanceof Held;
            return outcome;
        } finally {
            boolean holds = tail == null || !tail.isCommitting();
            entry.answered(got, holds);
            if (got && holds) {
                holders.put(session.driver(), entry);
            }
        }
    }

    private static Outcome told(
            @Nullable KeyEntries entered, ResolvedRequest request, @Nullable Tail tail, Outcome outcome) {
        if (entered != null && outcome instanceof Held) {
            boolean holds = tail == null || !tail.isCommitting();
            for (LockKey key : request.keys()) {
                QueueEntry own = entered.entryOf(key);
                if (own != null) {
                    own.locked(holds);
                }
            }
        }
        return outcome;
    }

    /**
     * With the advisory key of the row in front of its lock. A transaction that waits for it holds nothing, as the
     * transaction has not begun: so nobody but those behind waits for it.
     */
    private ResolvedRequest behind(PgSession session, ResolvedRequest request, @Nullable Front asked)
            throws SQLException {
        if (asked == null
                || request.lockWait().isNoWait()
                || !(request.first() instanceof LockKey.Row row)
                || session.isSimpleQueryMode()
                || tables.idColumns().isOnCitus(session)) {
            if (asked != null) {
                asked.unsent();
            }
            return request;
        }
        return request.behind(asked.of(FrontSql.key(session.reported("search_path"), row.table(), row.id())));
    }

    /** A table that was replaced since it was looked up is looked up again, once. */
    private Outcome lookedUp(PgSession session, ResolvedRequest request, @Nullable Tail tail) throws SQLException {
        long start = System.nanoTime();
        ResolvedRequest whole = tables.withIdColumns(session, request);
        Outcome outcome = once(session, whole, tail);
        if (outcome instanceof Outcome.Stale stale) {
            tables.forget(session, whole);
            if (stale.undone()) {
                return once(session, tables.withIdColumns(session, request.remaining(start)), tail);
            }
        }
        return outcome;
    }

    private Outcome once(PgSession session, ResolvedRequest request, @Nullable Tail tail) throws SQLException {
        Flushes of = tables.idColumns().isOnCitus(session) ? ON_CITUS : FLUSHES;
        return new Attempt(session, of, request, tail, session.hasBegun()).run();
    }
}
