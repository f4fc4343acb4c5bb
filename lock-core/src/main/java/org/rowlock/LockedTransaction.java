package org.rowlock;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.request.KeyModes;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Waits;
import org.rowlock.internal.session.Commit;
import org.rowlock.internal.session.PgSession;

/** Admission, connection, begin, lock, work, commit: a whole locked transaction. */
final class LockedTransaction {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final RowLocks locks;
    private final AdmissionQueues admission;
    private final KeyNames names;

    LockedTransaction(RowLocks locks, AdmissionQueues admission, KeyNames names) {
        this.locks = locks;
        this.names = names;
        this.admission = admission;
    }

    <T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource, KeyModes keys, LockWait wait, TransactionWork<T, X> work) throws X, SQLException {
        if (dataSource == null || work == null) {
            throw new IllegalArgumentException("The " + (work == null ? "work" : "DataSource") + " is null");
        }
        KeyModes.check(keys.strongest(), wait);
        long start = System.nanoTime();
        try (AdmissionQueues.Permit permit = admission.enter(dataSource, keys, wait)) {
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
                LockWait remaining = permit.isQueued() ? Waits.remaining(wait, start) : wait;
                value = lockAndWork(connection, keys, remaining, work);
                Commit.run(connection, keys.keys(), names);
            } catch (Throwable failure) {
                // Throwable, as an Error must not leave the transaction open in the pool either.
                rollBack(connection, autoCommit, failure);
                throw failure;
            }
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

    private <T extends @Nullable Object, X extends Exception> T lockAndWork(
            Connection connection, KeyModes keys, LockWait wait, TransactionWork<T, X> work) throws X {
        TransactionLocks tx = locks.in(connection);
        if (keys.keys().size() == 1) {
            tx.lock(keys.keys().get(0), keys.strongest(), wait);
        } else if (keys.each().isEmpty()) {
            tx.lockAll(keys.keys(), keys.strongest(), wait);
        } else {
            tx.lockAll(keys.each(), wait);
        }
        return work.apply(connection);
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
