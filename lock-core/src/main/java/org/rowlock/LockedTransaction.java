package org.rowlock;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.commit.Releases;
import org.rowlock.internal.observe.Hold;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.request.KeyModes;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;

/** Admission, connection, begin, lock, work, commit: a whole locked transaction. */
final class LockedTransaction {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final RowLocks locks;
    private final AdmissionQueues admission;
    private final LockObserver observer;
    private final KeyNames names;
    private final Releases releases;

    LockedTransaction(
            RowLocks locks, AdmissionQueues admission, LockObserver observer, KeyNames names, Releases releases) {
        this.locks = locks;
        this.releases = releases;
        this.observer = observer;
        this.names = names;
        this.admission = admission;
    }

    /** What is done on a connection whose transaction has not begun: lock, work and commit. */
    @FunctionalInterface
    private interface Body<T extends @Nullable Object, X extends Exception> {
        T apply(Connection connection, LockWait wait, Hold hold, AdmissionQueues.Permit permit) throws X, SQLException;
    }

    <T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, KeyModes keys, LockWait wait, WritingWork<Connection, T, X> work)
            throws X, SQLException {
        given(work);
        return this.<T, X>transact(dataSource, keys, wait, (connection, remaining, hold, permit) -> {
            CommitWrites writes = new CommitWrites();
            boolean wrote = lock(connection, keys, remaining);
            hold.begins();
            T value = work.apply(connection, writes);
            new Commit(connection, keys.keys(), names, endings(keys, permit, wrote)).run(writes.toSend());
            return value;
        });
    }

    /** With a query that comes with the lock of the only key. */
    <R, T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, KeyModes keys, LockWait wait, LockedQuery<R> query, WritingWork<List<R>, T, X> work)
            throws X, SQLException {
        given(work);
        if (query == null) {
            throw new IllegalArgumentException("The query is null; make one with LockedQuery.of()");
        }
        return this.<T, X>transact(dataSource, keys, wait, (connection, remaining, hold, permit) -> {
            CommitWrites writes = new CommitWrites();
            List<R> rows = locks.in(connection)
                    .lockAndQuery(
                            keys.keys().get(0),
                            keys.strongest(),
                            remaining,
                            query.sql(),
                            query.mapper(),
                            query.binds().toArray());
            hold.begins();
            T value = work.apply(rows, writes);
            new Commit(connection, keys.keys(), names, endings(keys, permit, false)).run(writes.toSend());
            return value;
        });
    }

    /** Without work: all in one flush, where that can be. */
    void execute(DataSource dataSource, KeyModes keys, LockWait wait, CommitWrites writes) throws SQLException {
        if (writes == null) {
            throw new IllegalArgumentException("The writes are null; make new CommitWrites() and add statements");
        }
        List<Write<?>> toSend = writes.toSend();
        this.<@Nullable Void, SQLException>transact(dataSource, keys, wait, (connection, remaining, hold, permit) -> {
            locks.in(connection).lockAndCommit(keys, remaining, toSend, endings(keys, permit, false));
            return null;
        });
    }

    private static void given(@Nullable Object work) {
        if (work == null) {
            throw new IllegalArgumentException("The work is null");
        }
    }

    private <T extends @Nullable Object, X extends Exception> T transact(
            DataSource dataSource, KeyModes keys, LockWait wait, Body<T, X> body) throws X, SQLException {
        if (dataSource == null) {
            throw new IllegalArgumentException("The DataSource is null");
        }
        KeyModes.check(keys.strongest(), wait);
        Hold hold = observer.hold(keys.keys(), keys.strongest(), locks.strategyOf(keys.keys()));
        long start = System.nanoTime();
        try (AdmissionQueues.Permit permit = admission.enter(dataSource, keys, wait)) {
            LockWait remaining = permit.isQueued() ? Waits.remaining(wait, start) : wait;
            Connection connection = connect(dataSource, permit);
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
                value = body.apply(connection, remaining, hold, permit);
            } catch (Throwable failure) {
                // Throwable, as an Error must not leave the transaction open in the pool either.
                rollBack(connection, autoCommit, failure);
                hold.ends(failure instanceof CommitNotConfirmedException);
                throw failure;
            }
            hold.ends(true);
            close(connection, autoCommit);
            return value;
        }
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

    private Ending.Choice endings(KeyModes keys, AdmissionQueues.Permit permit, boolean wrote) {
        return session -> releases.choice(keys.keys(), permit.isWanted(), wrote).of(session);
    }

    /** Whether a row is locked now, and so something written. */
    private boolean lock(Connection connection, KeyModes keys, LockWait wait) {
        TransactionLocks tx = locks.in(connection);
        if (keys.keys().size() == 1) {
            LockResult result = tx.lock(keys.keys().get(0), keys.strongest(), wait);
            return result == LockResult.ROW_LOCKED || result == LockResult.KEY_AND_ROW_LOCKED;
        }
        if (keys.each().isEmpty()) {
            tx.lockAll(keys.keys(), keys.strongest(), wait);
        } else {
            tx.lockAll(keys.each(), wait);
        }
        return false;
    }

    private static void rollBack(Connection connection, boolean autoCommit, Throwable failure) {
        try (connection) {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
                if (autoCommit) {
                    connection.setAutoCommit(true);
                }
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /** The transaction has committed, so no failure from here on may look to the caller as if it had not. */
    private static void close(Connection connection, boolean autoCommit) {
        try (connection) {
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "A connection could not be returned after its transaction had committed", e);
        }
    }
}
