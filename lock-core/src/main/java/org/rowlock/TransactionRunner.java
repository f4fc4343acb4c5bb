package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.CommitErrors;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.group.Groups;
import org.rowlock.internal.group.Member;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.KeyEntries;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueGroup;
import org.rowlock.internal.request.BoundQuery;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LentConnection;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Arguments;
import org.rowlock.internal.value.ClaimParts;
import org.rowlock.internal.value.RequestParts;

/** Runs a whole transaction under locks: admission, connection, begin, lock, work, commit. */
record TransactionRunner(LockCalls calls, Groups groups) {
    /** Returns the locks of the caller's transaction. From now on, this thread no longer waits for a connection. */
    TransactionLocks in(Connection connection) {
        KeyEntries.startServerWait();
        return new TransactionLocks(connection, calls);
    }

    private static PgSession begin(LentConnection lent) throws SQLException {
        KeyEntries.startServerWait();
        return lent.begun();
    }

    <R, T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource,
            RequestParts request,
            @Nullable BoundQuery<R> query,
            LockedTransaction.Work<R, T, X> work)
            throws X, SQLException {
        Arguments.notNull(work, "The work is null");
        long start = System.nanoTime();
        try (KeyEntries entries = calls.admit(dataSource, request, null)) {
            RequestParts remaining = entries.isQueued() ? request.remaining(start) : request;
            Begun hold = null;
            try (LentConnection lent = new LentConnection(connect(dataSource, entries))) {
                List<R> rows = calls.lockAndRead(begin(lent), remaining, query);
                LockedTransaction<R> locked = new LockedTransaction<>(lent.connection(), rows);
                hold = calls.observer().begin(Kind.HOLD);
                T value = work.apply(locked);
                commit(lent, request.keys(), locked.atCommit(), calls.endings(entries::isWanted));
                // The hold is reported before the connection is returned, because a listener may use the connection.
                report(hold, request, Outcome.COMMITTED);
                return value;
            } catch (Throwable failure) {
                // The connection was returned before this block, so the transaction has ended. An Error is caught too,
                // because an Error also ends the hold.
                boolean committed = failure instanceof CommitNotConfirmedException;
                report(hold, request, committed ? Outcome.COMMITTED : Outcome.ROLLED_BACK);
                throw failure;
            }
        }
    }

    private void report(@Nullable Begun hold, RequestParts request, Outcome outcome) {
        LockStrategy strategy = calls.tables().strategyOf(request.keys());
        calls.observer().end(hold, request.keys(), request.mode(), strategy, request.lockWait(), outcome);
    }

    /**
     * Runs work on claimed rows. A claim enters no admission queue and reports no hold, because its keys are known only
     * after it has locked the rows.
     */
    <R, T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, ClaimParts claim, RowMapper<R> mapper, LockedTransaction.Work<R, T, X> work)
            throws X, SQLException {
        Arguments.notNull(work, "The work is null");
        try (LentConnection lent = new LentConnection(Arguments.connection(dataSource))) {
            List<R> rows = calls.claim(begin(lent), claim, mapper);
            LockedTransaction<R> claimed = new LockedTransaction<>(lent.connection(), rows);
            T value = work.apply(claimed);
            commit(lent, List.of(), claimed.atCommit(), calls.endings(() -> false));
            return value;
        }
    }

    /** Locks, runs the writes and commits, in one round trip if possible. */
    void execute(DataSource dataSource, RequestParts request, CommitWrites writes) throws SQLException {
        List<Write> toSend = CommitWrites.toSend(writes);
        Member member = groups.member(request, toSend);
        long start = System.nanoTime();
        try (KeyEntries entries = calls.admit(dataSource, request, member)) {
            QueueEntry place = entries.entryOf(request.keys().get(0));
            QueueGroup.Served served = place == null ? null : place.served();
            if (member != null && served != null) {
                member.finish(groups.observer(), served);
                return;
            }
            boolean done = false;
            for (@Nullable Member leader = member; !done; leader = null) {
                // The remaining wait is computed now, so that the wait for the connection does not count.
                RequestParts remaining = request.remaining(start);
                LentConnection lent = new LentConnection(connect(dataSource, entries));
                try (lent) {
                    long connected = System.nanoTime();
                    PgSession session = begin(lent);
                    Ending.Choice endings = calls.endings(entries::isWanted);
                    List<QueueEntry> others =
                            leader == null ? List.of() : groups.take(leader, place, lent.connection());
                    if (leader != null && !others.isEmpty()) {
                        Groups.Sending sending = (shortest, all) ->
                                calls.lockAndCommit(session, request.waiting(shortest), all, endings, false);
                        done = groups.send(leader, others, sending);
                    }
                    if (!done && (others.isEmpty() || lent.isUsableAgain())) {
                        // After a failed group, the driver may have replaced its connection, so the session is
                        // determined again.
                        PgSession alone = others.isEmpty() ? session : PgSession.inTransaction(lent.connection());
                        calls.lockAndCommit(alone, remaining.remaining(connected), toSend, endings, true);
                        groups.doneAlone(leader);
                        done = true;
                    }
                    lent.settle();
                } catch (SQLException e) {
                    throw new CommitErrors(request.keys()).undone(e);
                }
            }
        }
    }

    private static Connection connect(DataSource dataSource, KeyEntries entries) throws SQLException {
        boolean connected = false;
        try {
            Connection connection = Arguments.connection(dataSource);
            connected = true;
            return connection;
        } finally {
            entries.connected(connected);
        }
    }

    /**
     * Commits, and sends the writes that the work has added. Refuses the writes if the work has ended the transaction
     * that held the locks.
     */
    private void commit(LentConnection lent, List<LockKey> keys, CommitWrites given, Ending.Choice endings)
            throws SQLException {
        List<Write> writes = CommitWrites.toSend(given);
        PgSession session = lent.lockedSession();
        if (session != null && (!writes.isEmpty() || lent.connection().getAutoCommit())) {
            session.refuseIfOver("The writes of the work are not stored");
        }
        Commit.run(lent.connection(), session, keys, endings, writes, false);
        lent.settle();
    }
}
