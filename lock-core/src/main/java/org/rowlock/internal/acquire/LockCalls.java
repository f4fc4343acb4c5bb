package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.Claim;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockOutcome;
import org.rowlock.LockRelease;
import org.rowlock.LockTargetException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowMapper;
import org.rowlock.internal.commit.Releases;
import org.rowlock.internal.observe.LockAcquisitionEvent;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.Asked;
import org.rowlock.internal.request.LockQuery;
import org.rowlock.internal.request.LockRequest;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.session.HeldRows;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.sql.ClaimTexts;
import org.rowlock.internal.sql.ScriptResult;

/** One call for locks, from the request to what came back: bounded, observed, and with a table that has changed looked up again. */
public final class LockCalls {
    private final LockRequests requests;
    private final LockAcquirer acquirer;
    private final LockObserver observer;
    private final KeyQueues queues;
    private final ClaimTexts claimTexts = new ClaimTexts();
    private final Releases releases;
    private final LockCalls unobserved;

    /** Whose transactions end with a plain commit. */
    public LockCalls(LockRequests requests, LockObserver observer, KeyQueues queues) {
        this(requests, observer, queues, new Releases(LockRelease.PLAIN));
    }

    public LockCalls(LockRequests requests, LockObserver observer, KeyQueues queues, Releases releases) {
        this.requests = requests;
        this.acquirer = new LockAcquirer(requests.citus());
        this.observer = observer;
        this.queues = queues;
        this.releases = releases;
        this.unobserved = observer.equals(LockObserver.NONE)
                ? this
                : new LockCalls(requests, LockObserver.NONE, queues, releases);
    }

    /** The same, told to nobody. */
    public LockCalls unobserved() {
        return unobserved;
    }

    public Releases releases() {
        return releases;
    }

    public LockRequests requests() {
        return requests;
    }

    public <T> List<T> claim(PgSession session, Claim claim, RowMapper<T> mapper) throws SQLException {
        return new ClaimRunner<>(session, requests, claimTexts, observer, claim, mapper).claim();
    }

    /**
     * Takes the locks, runs the query behind them, and tells the observer.
     *
     * @throws LockException if the locks cannot be had
     * @throws SQLException if the caller's query fails, or a look at the server does
     */
    public ScriptResult acquire(PgSession session, LockRequest request, @Nullable LockQuery<?> query)
            throws SQLException {
        LockAcquisitionEvent event = observer.begin();
        long start = System.nanoTime();
        LockOutcome outcome = LockOutcome.FAILED;
        try {
            ScriptResult result = acquireInTurn(session, request, query);
            outcome = LockOutcome.ACQUIRED;
            releases.locked(request.keys(), query != null && query.isCommitting(), start);
            return result;
        } catch (SQLException | RuntimeException e) {
            outcome = LockObserver.outcome(e);
            throw e;
        } finally {
            observer.end(event, start, request.keys(), request.mode(), request.strategy(), request.lockWait(), outcome);
        }
    }

    /**
     * The same, with an error for every row that does not exist.
     *
     * @throws RowAbsentException if there is one
     */
    public ScriptResult acquireRows(PgSession session, LockRequest request, @Nullable LockQuery<?> query)
            throws SQLException {
        Asked asked = request.asked(session.isHotStandby());
        for (LockKey key : request.keys()) {
            if (!(key instanceof LockKey.Row) || !requests.strategyOf(key).takesRowLock()) {
                throw LockErrors.rowNotLookedFor(asked, key);
            }
        }
        ScriptResult result = acquire(session, request, query);
        List<LockKey> absent = request.absentRows(result.found());
        if (!absent.isEmpty()) {
            throw LockErrors.rowAbsent(asked, absent);
        }
        return result;
    }

    /** The place is left as soon as the server has answered, since the end of the transaction cannot be seen. */
    private ScriptResult acquireInTurn(PgSession session, LockRequest request, @Nullable LockQuery<?> query)
            throws SQLException {
        KeyQueues.Entered entered = KeyQueues.entered();
        if (entered != null || !request.isOneRowExclusive()) {
            ScriptResult result = acquireBounded(session, request, query);
            if (entered != null) {
                entered.locked(request.keys(), query == null || !query.isCommitting());
            }
            return result;
        }
        long start = System.nanoTime();
        QueueEntry entry =
                queues.entry(31 * request.first().hashCode() + session.url().hashCode(), null);
        boolean got = false;
        try {
            // Only one that would wait asks, and has time for it.
            if (!entry.tryEnter() && (!session.hasBegun() || HeldRows.areNone(session, request.socketBoundMillis()))) {
                entry.enter(Waits.atMostNanos(request.lockWait()), Integer.MAX_VALUE);
            }
            ScriptResult result = acquireBounded(session, request.remaining(start), query);
            got = true;
            return result;
        } finally {
            entry.answered(got, true);
        }
    }

    /** A server that does not answer must not hold a bounded wait for longer. A query may take as long as it takes. */
    private ScriptResult acquireBounded(PgSession session, LockRequest request, @Nullable LockQuery<?> query)
            throws SQLException {
        long start = System.nanoTime();
        int bound = query == null ? request.socketBoundMillis() : 0;
        if (bound == 0) {
            return acquireOrLookUpAgain(session, request, query, start);
        }
        int before = session.boundSocket(bound);
        try {
            return acquireOrLookUpAgain(session, request, query, start);
        } finally {
            session.restoreSocketBound(before);
        }
    }

    /** A table that was replaced since it was looked up is looked up again, once. */
    private ScriptResult acquireOrLookUpAgain(
            PgSession session, LockRequest request, @Nullable LockQuery<?> query, long start) throws SQLException {
        LockRequest whole = requests.withIdColumns(session, request);
        try {
            return acquirer.acquire(session, whole, query);
        } catch (LockTargetException e) {
            if (e.isStale()) {
                requests.forgetTables(session, whole);
            }
            if (!e.isUndone()) {
                throw e;
            }
        }
        return acquirer.acquire(session, requests.withIdColumns(session, request.remaining(start)), query);
    }
}
