package org.rowlock;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.group.Groups;
import org.rowlock.internal.group.Member;
import org.rowlock.internal.observe.LockObserver.Begun;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.text.Given;

/** Admission, connection, begin, lock, work, commit: a whole locked transaction. */
record LockedTransaction(RowLocks locks, LockCalls calls, AdmissionQueues admission, Groups groups) {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** What is done on a connection whose transaction has not begun. */
    @FunctionalInterface
    private interface Lent<T extends @Nullable Object, X extends Exception> {
        T apply(Connection connection) throws X, SQLException;
    }

    <R, T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, LockRequest request, @Nullable LockedQuery<R> query, Locked.Work<R, T, X> work)
            throws X, SQLException {
        Given.notNull(work, "The work is null");
        LockWait wait = checked(dataSource, request);
        long start = System.nanoTime();
        try (AdmissionQueues.Permit permit = admission.enter(dataSource, request, wait, null)) {
            LockWait remaining = permit.isQueued() ? wait.remaining(start) : wait;
            AtomicReference<@Nullable Begun> hold = new AtomicReference<>();
            Consumer<Outcome> ends = outcome -> calls.observer()
                    .end(hold.get(), request.keys(), request.mode(), strategyOf(request), wait, outcome);
            return this.<T, X>onConnection(connect(dataSource, permit), ends, connection -> {
                Locked<R> locked = locks.in(connection).locked(request, remaining, query);
                hold.set(calls.observer().begin(Kind.HOLD));
                T value = work.apply(locked);
                commit(connection, request.keys(), locked.atCommit(), calls.endings(permit.entries::isWanted));
                return value;
            });
        }
    }

    /** With a claim, which nobody queues for. */
    <R, T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, Claim claim, RowMapper<R> mapper, Locked.Work<R, T, X> work) throws X, SQLException {
        Given.notNull(work, "The work is null");
        Given.notNull(dataSource, "The DataSource is null");
        return this.<T, X>onConnection(dataSource.getConnection(), outcome -> {}, connection -> {
            Locked<R> claimed =
                    new Locked<>(connection, locks.in(connection).claim(claim, mapper), List.of(), new CommitWrites());
            T value = work.apply(claimed);
            commit(connection, List.of(), claimed.atCommit(), calls.endings(() -> false));
            return value;
        });
    }

    /** Without work: all in one flush, where that can be. */
    void execute(DataSource dataSource, LockRequest request, CommitWrites writes) throws SQLException {
        List<Write> toSend = CommitWrites.toSend(writes);
        LockWait wait = checked(dataSource, request);
        Member member = RequestParts.of(request).inserts().isEmpty()
                ? groups.member(request, wait, strategyOf(request), toSend)
                : null;
        long start = System.nanoTime();
        try (AdmissionQueues.Permit permit = admission.enter(dataSource, request, wait, member)) {
            QueueEntry place = permit.entries.only();
            QueueEntry.Served served = place == null ? null : place.served();
            if (member != null && served != null) {
                groups.finish(member, served);
                return;
            }
            boolean done = false;
            for (@Nullable Member next = member; !done; next = null) {
                @Nullable Member leader = next;
                done = this.<Boolean, SQLException>onConnection(connect(dataSource, permit), outcome -> {}, to -> {
                    TransactionLocks tx = locks.in(to);
                    Ending.Choice endings = calls.endings(permit.entries::isWanted);
                    Groups.Flush flush = (shortest, all) -> tx.lockAndCommit(request, shortest, all, endings, false);
                    Groups.Led led = leader == null ? Groups.Led.ALONE : groups.lead(leader, place, to, flush);
                    if (led == Groups.Led.ALONE) {
                        tx.lockAndCommit(request, wait.remaining(start), toSend, endings, true);
                        groups.doneAlone(leader);
                    }
                    return led != Groups.Led.ALONE_ELSEWHERE;
                });
            }
        }
    }

    private LockStrategy strategyOf(LockRequest request) {
        return calls.tables().config().strategyOf(request.keys());
    }

    private static LockWait checked(@Nullable DataSource dataSource, @Nullable LockRequest request) {
        Given.notNull(dataSource, "The DataSource is null");
        return RequestParts.of(request).lockWait(LockWait.forever());
    }

    /**
     * Begins, and hands the connection back without a transaction, whatever has become of it.
     *
     * @param ends is given COMMITTED or ROLLED_BACK, to report a hold. There is none of a claim, whose keys its
     *     acquisition reports, and where the COMMIT in its flush lets them go
     */
    private <T extends @Nullable Object, X extends Exception> T onConnection(
            Connection connection, Consumer<Outcome> ends, Lent<T, X> body) throws X, SQLException {
        boolean autoCommit = false;
        T value;
        try {
            autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            } else if (PgSession.of(connection).hasBegun()) {
                // The pool's first statement, as connectionInitSql of HikariCP: what it has set is to stay.
                connection.commit();
            }
            value = body.apply(connection);
        } catch (Throwable failure) {
            // Throwable, as an Error must not leave the transaction open in the pool either.
            giveBack(connection, autoCommit, failure);
            ends.accept(failure instanceof CommitNotConfirmedException ? Outcome.COMMITTED : Outcome.ROLLED_BACK);
            throw failure;
        }
        ends.accept(Outcome.COMMITTED);
        giveBack(connection, autoCommit, null);
        return value;
    }

    private static Connection connect(DataSource dataSource, AdmissionQueues.Permit permit) throws SQLException {
        boolean connected = false;
        try {
            Connection connection = dataSource.getConnection();
            connected = true;
            return connection;
        } finally {
            permit.connected(connected);
        }
    }

    /** The work's writes must not be stored without the lock, where it has ended the transaction that had it. */
    private void commit(Connection connection, List<LockKey> keys, CommitWrites writes, Ending.Choice endings)
            throws SQLException {
        if (!connection.isClosed() && (!writes.isEmpty() || connection.getAutoCommit())) {
            PgSession.of(connection).refuseIfOver("The writes of the work are not stored");
        }
        Commit.run(connection, keys, calls.tables().config().names(), endings, CommitWrites.toSend(writes));
    }

    /**
     * @param failure of the transaction; null if it has committed, so that no failure from here on may look to the
     *     caller as if it had not
     */
    private static void giveBack(Connection connection, boolean autoCommit, @Nullable Throwable failure) {
        try (connection) {
            if (!connection.isClosed()) {
                // What a listener has begun behind the commit: the connection's autocommit would store it.
                if (failure == null ? PgSession.of(connection).hasBegun() : !connection.getAutoCommit()) {
                    connection.rollback();
                }
                if (connection.getAutoCommit() != autoCommit) {
                    connection.setAutoCommit(autoCommit);
                }
            }
        } catch (Throwable e) {
            if (failure == null) {
                LOG.log(Level.WARNING, "A connection could not be returned after its transaction had committed", e);
            } else {
                failure.addSuppressed(e);
            }
        }
    }
}
