package org.rowlock;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Admission, connection, begin, lock, work, commit: a whole locked transaction. */
final class LockedTransaction {
    private final RowLocks locks;
    private final AdmissionQueues admission;

    LockedTransaction(RowLocks locks, AdmissionQueues admission) {
        this.locks = locks;
        this.admission = admission;
    }

    <T extends @Nullable Object, X extends Exception> T run(
            DataSource dataSource,
            Collection<? extends LockKey> keys,
            RowLockMode mode,
            LockWait wait,
            TransactionWork<T, X> work)
            throws X, SQLException {
        if (dataSource == null || work == null) {
            throw new IllegalArgumentException("The " + (work == null ? "work" : "DataSource") + " is null");
        }
        LockRequests.check(mode, wait);
        List<LockKey> distinct = LockRequests.distinct(keys);
        long start = System.nanoTime();
        try (AdmissionQueues.Permit permit = admission.enter(dataSource, distinct, mode, wait);
                Connection connection = dataSource.getConnection()) {
            LockWait remaining = permit.isQueued() ? Waits.remaining(wait, start) : wait;
            return inTransaction(connection, distinct, mode, remaining, work);
        }
    }

    private <T extends @Nullable Object, X extends Exception> T inTransaction(
            Connection connection, List<LockKey> keys, RowLockMode mode, LockWait wait, TransactionWork<T, X> work)
            throws X, SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
        T value;
        try {
            if (keys.size() == 1) {
                locks.in(connection).lock(keys.get(0), mode, wait);
            } else {
                locks.in(connection).lockAll(keys, mode, wait);
            }
            value = work.apply(connection);
            connection.commit();
        } catch (Throwable failure) {
            // Throwable, as an Error must not leave the transaction open in the pool either.
            end(connection, autoCommit, failure);
            throw failure;
        }
        if (autoCommit) {
            connection.setAutoCommit(true);
        }
        return value;
    }

    private static void end(Connection connection, boolean autoCommit, Throwable failure) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
                if (autoCommit) {
                    connection.setAutoCommit(true);
                }
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }
}
