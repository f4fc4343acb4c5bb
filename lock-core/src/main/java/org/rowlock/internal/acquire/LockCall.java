package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockRequest;
import org.rowlock.LockRequest.RowStatement;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.commit.WriteForms;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.KeyEntries;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.RowGroup;
import org.rowlock.internal.request.RowTable;
import org.rowlock.internal.request.RowTable.Column;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Stale;
import org.rowlock.internal.session.Outcome.Taken;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.session.TargetErrors;
import org.rowlock.internal.sql.Flushes;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.IdType;
import org.rowlock.internal.text.Insert;
import org.rowlock.internal.text.SqlState;

/**
 * One call for locks, from the request to what came back: bounded, observed, in its turn, and with a table that has
 * changed looked up again.
 *
 * @param lockWait in place of that of the request
 * @param inserts of rows that may not be there, in one order for all calls
 * @param statement locks the row where it does the same as Rowlock's own; null for none
 * @param observed whether the observer is notified
 */
public record LockCall(
        LockCalls calls,
        PgSession session,
        LockRequest request,
        LockWait lockWait,
        List<Insert> inserts,
        @Nullable RowStatement statement,
        boolean observed) {
    private static final Flushes FLUSHES = new Flushes(false);
    private static final Flushes ON_CITUS = new Flushes(true);
    private static final long ROW_LOCK_WAITS = 3;
    private static final long GRACE_MILLIS = 2_000;

    /** That of all keys, or BOTH. */
    public LockStrategy strategy() {
        return calls.tables().config().strategyOf(request.keys());
    }

    /**
     * What is held after an attempt.
     *
     * @throws RowlockException if the locks cannot be had, or a row is required and is not there
     * @throws SQLException if the caller's query failed, or a look at the server did
     */
    public Held held(Outcome outcome) throws SQLException {
        if (!(outcome instanceof Held held)) {
            throw LockErrors.ofOutcome(asked(), outcome);
        }
        if (request.isRowRequired() && !held.absent().isEmpty()) {
            LockKey unlockable = new AbsentRows(session, resolved(lockWait, null), held.absent()).unlockable();
            if (unlockable != null) {
                throw TargetErrors.notLockable(asked(), unlockable);
            }
            throw TargetErrors.rowAbsent(asked(), held.absent());
        }
        return held;
    }

    /**
     * Locks, writes and commits, in one flush where that can be, so that the lock is held for no round trip at all.
     * Whatever it throws, the caller has to roll back.
     *
     * @throws CommitOutcomeUnknownException if it is not known whether the transaction has committed for good
     * @throws RowlockException if it has not: the locks cannot be had, or for another reason that is known
     * @throws SQLException if a write or the commit fails
     */
    public void commit(List<Write> writes, Ending.Choice endings) throws SQLException {
        KeyNames names = calls.tables().config().names();
        Commit commit = Commit.behindLock(session, request.keys(), names, endings, writes);
        Tail tail = request.isRowRequired() || !inserts.isEmpty() ? null : commit.tail();
        commit.run(() -> {
            Outcome outcome = attempt(tail);
            if (!(outcome instanceof Held) || !commit.isSent()) {
                refuseFailed(outcome, commit);
                held(outcome);
                session.refuseIfOver("Nothing is stored");
                commit.send();
            }
        });
    }

    /** Refuses what is no failure of the lock. */
    private static void refuseFailed(Outcome outcome, Commit commit) throws SQLException {
        RowlockException meaning = outcome instanceof Failed failed ? failed.meaning() : null;
        boolean own = outcome instanceof Failed && meaning == null;
        SQLException cause = outcome instanceof Failed failed
                ? failed.cause()
                : outcome instanceof Taken taken ? taken.cause() : null;
        if (cause != null && (own || commit.isSent())) {
            // What ended the wait until it is durable looks as if it had ended the wait for the lock.
            SQLException definite = commit.failure(cause);
            boolean lost = meaning instanceof LockConnectionLostException
                    && !SqlState.READ_ONLY_SQL_TRANSACTION.equals(cause.getSQLState());
            if (own || lost || ServerErrors.isDrivers(cause)) {
                throw definite;
            }
        }
    }

    /** Takes the locks and runs what is behind them. What became of it is for {@link #held}. */
    public Outcome attempt(@Nullable Tail tail) throws SQLException {
        for (Insert insert : inserts) {
            WriteForms.check(session, insert);
        }
        LockObserver observer = calls.observer();
        Begun begun = observed ? observer.begin(LockListener.Kind.ACQUISITION) : null;
        LockListener.Outcome told = LockListener.Outcome.FAILED;
        try {
            Outcome outcome = bounded(tail);
            told = LockObserver.outcome(outcome);
            return outcome;
        } catch (SQLException | RuntimeException e) {
            told = LockObserver.outcome(e);
            throw e;
        } finally {
            if (begun != null) {
                observer.end(begun, request.keys(), request.mode(), strategy(), lockWait, told);
            }
        }
    }

    /**
     * A server that does not answer must not hold a bounded wait for longer. A query may take as long as it takes. The
     * bound is well above what a right answer takes, as the transaction is lost beyond it: a row lock can wait more
     * than once, and a busy server has other things to do.
     */
    private Outcome bounded(@Nullable Tail tail) throws SQLException {
        if (tail != null || !lockWait.isBounded()) {
            return inTurn(tail);
        }
        long waits = strategy() == LockStrategy.ADVISORY ? 1 : ROW_LOCK_WAITS;
        long bound = lockWait.millis() * waits + GRACE_MILLIS + request.keys().size();
        int before = session.boundSocket((int) Math.min(Integer.MAX_VALUE, bound));
        try {
            return inTurn(null);
        } finally {
            session.restoreSocketBound(before);
        }
    }

    /** The place is left as soon as the server has answered, since the end of the transaction cannot be seen. */
    private Outcome inTurn(@Nullable Tail tail) throws SQLException {
        ResolvedRequest resolved = resolved(lockWait, null);
        if (tail != null && tail.isCommitting() && isIdLookedAt(resolved)) {
            return bounded(null);
        }
        boolean begun = session.hasBegun();
        boolean holds = tail == null || !tail.isCommitting();
        LockKey first = request.keys().get(0);
        // One row that is waited for, and that nobody else may hold in the same mode.
        boolean queues = resolved.strategy() == LockStrategy.ROW
                && request.keys().size() == 1
                && !request.mode().isShared()
                && !lockWait.isNoWait();
        KeyEntries entered = KeyEntries.entered();
        if (entered != null || !queues) {
            QueueEntry place = entered == null || !queues || begun ? null : entered.entryOf(first);
            Outcome outcome = lookedUp(resolved, place, tail);
            if (entered != null && outcome instanceof Held) {
                entered.locked(request.keys(), holds);
            }
            return outcome;
        }
        QueueEntry last = begun ? null : calls.holders().get(session.driver());
        if (last != null) {
            last.released(false);
        }
        long start = System.nanoTime();
        QueueEntry place =
                calls.queues().entry(31 * first.hashCode() + session.url().hashCode(), null);
        boolean got = false;
        try {
            // Only one that would wait asks, and has time for it.
            if (!place.tryEnter() && (!begun || session.holdsNoRow())) {
                place.enter(lockWait.nanos(), Integer.MAX_VALUE);
            }
            Outcome outcome = lookedUp(resolved.remaining(start), begun ? null : place, tail);
            got = outcome instanceof Held;
            return outcome;
        } finally {
            place.answered(got, holds);
            if (got && holds) {
                calls.holders().put(session.driver(), place);
            }
        }
    }

    /** Whether Rowlock has to see what the lock found before anything may be committed: another spelling of the id. */
    private static boolean isIdLookedAt(ResolvedRequest resolved) {
        for (RowGroup group : resolved.rows()) {
            if (group.table().isAny(IdType::isPrintedOtherwise)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The advisory key of the row in front of its lock, where it is wanted. A transaction that waits for it holds
     * nothing, as the transaction has not begun: so nobody but those behind waits for it.
     */
    private @Nullable Front front(LockWait left, @Nullable QueueEntry place) throws SQLException {
        Front wanted = place == null ? null : place.front(calls.front());
        if (wanted == null) {
            return null;
        }
        if (left.isNoWait()
                || !(request.keys().get(0) instanceof LockKey.Row row)
                || session.isSimpleQueryMode()
                || isOnCitus()) {
            wanted.unsent();
            return null;
        }
        return wanted.of(FrontSql.key(session.reported("search_path"), row.table(), row.id()));
    }

    /**
     * A table that was replaced since it was looked up is looked up again, once.
     *
     * @param place whose key may go in front of the lock
     */
    private Outcome lookedUp(ResolvedRequest asked, @Nullable QueueEntry place, @Nullable Tail tail)
            throws SQLException {
        ResolvedRequest resolved = asked.behind(front(asked.lockWait(), place));
        long start = System.nanoTime();
        Outcome outcome = once(resolved, tail);
        if (outcome instanceof Stale stale) {
            for (RowTable table : resolved.tables()) {
                calls.tables().idColumns().stale(table);
            }
            if (stale.undone()) {
                return once(resolved(resolved.lockWait().remaining(start), resolved.front()), tail);
            }
        }
        return outcome;
    }

    /** Whether another library's statement locks the same row in the same way, and finds it by the same column. */
    private boolean isLockedBy(RowStatement other, ResolvedRequest resolved) throws SQLException {
        if (resolved.strategy() != LockStrategy.ROW
                || !resolved.isOneRow()
                || resolved.lockWait().isBounded()
                || resolved.front() != null
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

    private ResolvedRequest resolved(LockWait left, @Nullable Front front) {
        return calls.tables().resolve(session, request, left, inserts, front);
    }

    private Outcome once(ResolvedRequest resolved, @Nullable Tail tail) throws SQLException {
        RowStatement other = statement;
        if (other != null && tail == null && isLockedBy(other, resolved)) {
            try {
                return new Held(null, other.lock() ? List.of() : request.keys(), null);
            } catch (SQLException e) {
                return new Failed(e, LockErrors.ofLock(asked(), e));
            }
        }
        return new Attempt(session, isOnCitus() ? ON_CITUS : FLUSHES, resolved, tail, session.hasBegun()).run();
    }

    private boolean isOnCitus() throws SQLException {
        return calls.tables().idColumns().isOnCitus(session);
    }

    /** What is asked for, for messages. */
    public Asked asked() {
        return calls.tables().asked(session, request, lockWait);
    }
}
