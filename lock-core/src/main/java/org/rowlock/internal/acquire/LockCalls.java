package org.rowlock.internal.acquire;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.RowLocksBuilder.LockFront;
import org.rowlock.RowMapper;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.EarlyRelease;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueuePolicy.Question;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.OpenRows;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.Outcome.NotAvailable;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.Stack;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.RequestParts;

/**
 * The objects that all calls for locks share, and the entrances of the calls. Thread-safe.
 *
 * @param early chooses how transactions end; null if early release is not configured
 * @param lastGranted the {@code ROW} queue entry of each connection's last row lock; when the connection begins another
 *     transaction, this lock has been released
 */
public record LockCalls(
        KnownTables tables,
        LockObserver observer,
        KeyQueues queues,
        int maxWaitersPerKey,
        @Nullable EarlyRelease early,
        LockFront front,
        Map<Connection, QueueEntry> lastGranted) {
    public LockCalls(
            KnownTables tables,
            LockObserver observer,
            KeyQueues queues,
            int maxWaitersPerKey,
            @Nullable EarlyRelease early,
            LockFront front) {
        this(
                tables,
                observer,
                queues,
                maxWaitersPerKey,
                early,
                front,
                Collections.synchronizedMap(new WeakHashMap<>()));
    }

    /**
     * Returns how a transaction ends.
     *
     * @param wanted whether other transactions contend for the locks; evaluated at the end of the transaction
     */
    public Ending.Choice endings(BooleanSupplier wanted) {
        EarlyRelease how = early;
        return how == null ? Ending.Choice.PLAIN : session -> how.ending(session, wanted.getAsBoolean());
    }

    /**
     * Enters the admission queues of a request's keys, and waits until all queues have admitted the call. All calls
     * enter queues in the same order, so the queues cause no deadlock.
     *
     * @param given the request; its wait, by default forever, bounds the sum of the waits in all queues
     * @param offer work that the thread of another call may do for this call, or null; see {@link QueueEntry}
     * @return the entries; close them on this thread after the transaction has ended and its connection is returned
     * @throws LockNotAvailableException if a call with {@code noWait()} would have to wait, if the wait times out, or
     *     if the queue of a key is full
     * @throws LockInterruptedException if the thread is interrupted; its flag stays set
     * @throws IllegalStateException if an outer call of the thread has one of the keys, in any mode. The second
     *     connection of the thread could wait for its first connection
     */
    public KeyEntries admit(Object database, LockRequest given, @Nullable Object offer) {
        RequestParts request = RequestParts.of(given);
        Arguments.notNull(database, "The database is null; give the DataSource");
        // A StackOverflowError must not occur while the call leaves the queues, so the stack for leaving is reserved
        // here.
        Stack.reserve(Stack.OF_QUEUE);
        KeyEntries entries = new KeyEntries(queues, database, request);
        if (!entries.isQueued()) {
            entries.skipQueues();
            return entries;
        }
        Begun begun = observer.begin(Kind.ADMISSION);
        LockListener.Outcome outcome = LockListener.Outcome.REFUSED;
        try {
            entries.join(offer);
            entries.enterAll(maxWaitersPerKey);
            outcome = LockListener.Outcome.ADMITTED;
            return entries;
        } finally {
            if (outcome == LockListener.Outcome.REFUSED) {
                entries.close();
            }
            if (begun != null) {
                List<LockKey> keys = RequestParts.ordered(request.keys());
                observer.end(begun, keys, request.mode(), tables.strategyOf(keys), request.lockWait(), outcome);
            }
        }
    }

    /**
     * Enters the {@code ROW} queue of a row. If necessary, the call waits in the queue, and keeps its connection. A
     * transaction that may hold a row lock does not wait.
     */
    QueueEntry enterRowQueue(PgSession session, RequestParts request, boolean begun) throws SQLException {
        QueueEntry last = begun ? null : lastGranted.get(session.driver());
        if (last != null) {
            last.released(false);
        }
        int key = request.keys().get(0).hashCode();
        QueueEntry entry = queues.entry(31 * key + session.url().hashCode(), null);
        boolean entered = false;
        try {
            // The method longestIdleNanos() costs a round trip, so it is called only if the entry would have to wait.
            if (!entry.tryEnter()) {
                long most = begun ? FlushRunner.longestIdleNanos(session) : Long.MAX_VALUE;
                entry.enter(Math.min(most, request.lockWait().nanos()), Integer.MAX_VALUE);
            }
            entered = true;
            return entry;
        } finally {
            if (!entered) {
                entry.leave();
            }
        }
    }

    /**
     * Returns the front lock of a row, if the queue of the entry requires a front lock. Only transactions without locks
     * acquire front locks, so the wait for a front lock cannot cause a deadlock.
     */
    @Nullable
    Front frontLock(QueueEntry entry, PgSession session, RequestParts request) {
        LockKey.Row row = request.rows().get(0);
        Question question = entry.asks(false);
        if (question != null) {
            queues.ask(entry, question, sql -> session.outsideTransaction(() -> session.ask(sql, row.table())));
        }
        Front wanted = entry.front(front);
        return wanted == null ? null : wanted.of(FrontSql.key(session.reported("search_path"), row.table(), row.id()));
    }

    /** Locks the keys, and runs the query after the locks, if there is one, in one round trip. */
    public <R> List<R> lockAndRead(PgSession session, RequestParts request, @Nullable BoundQuery<R> query)
            throws SQLException {
        LockCall call = new LockCall(this, session, request, null, true);
        if (query == null) {
            call.held(call.attempt(null), LockCall.NOTHING_LOCKED);
            return List.of();
        }
        try (OpenRows open = new OpenRows()) {
            call.held(call.attempt(Tail.ofQuery(query, open)), LockCall.NOTHING_LOCKED);
            List<R> rows = open.map(query.mapper());
            session.refuseIfOver(LockCall.NOTHING_LOCKED);
            return rows;
        }
    }

    /**
     * Locks, writes and commits, in one round trip if possible. After any exception, the caller has to roll back.
     *
     * @throws CommitOutcomeUnknownException if it is unknown whether the transaction has committed durably
     */
    public void lockAndCommit(
            PgSession session, RequestParts request, List<Write> writes, Ending.Choice endings, boolean observed)
            throws SQLException {
        LockCall call = new LockCall(this, session, request, null, observed);
        Commit commit = Commit.behindLock(session, request.keys(), endings, writes);
        // After an INSERT, Rowlock must check the row before the COMMIT.
        Tail tail = request.inserts().isEmpty() ? commit.tail() : null;
        commit.run(() -> {
            Outcome outcome = call.attempt(tail);
            if (!(outcome instanceof Held) || !commit.isSent()) {
                refuseFailed(outcome, commit);
                call.held(outcome, "Nothing is stored");
                commit.send();
            }
        });
    }

    private static void refuseFailed(Outcome outcome, Commit commit) throws SQLException {
        Failed failed = outcome instanceof Failed it ? it : null;
        RowlockException meaning = failed == null ? null : failed.meaning();
        boolean own = failed != null && meaning == null;
        SQLException cause =
                failed != null ? failed.cause() : outcome instanceof NotAvailable taken ? taken.cause() : null;
        if (cause != null && (own || commit.isSent())) {
            // The SQLSTATE does not show which wait has ended: the wait for the lock, or the wait until the COMMIT is
            // durable.
            SQLException definite = commit.failure(cause);
            boolean lost = meaning instanceof LockConnectionLostException
                    && !SqlState.READ_ONLY_SQL_TRANSACTION.equals(cause.getSQLState());
            if (own || lost || ServerErrors.isDrivers(cause)) {
                throw definite;
            }
        }
    }

    public <T> List<T> claim(PgSession session, ClaimParts claim, RowMapper<T> mapper) throws SQLException {
        List<T> rows =
                new ClaimRunner(session, tables, observer, claim, new OpenRows(), new ArrayList<>()).claim(mapper);
        session.refuseIfOver("Nothing is claimed");
        return rows;
    }
}
