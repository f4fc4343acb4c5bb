package org.rowlock.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Looks, before a transaction that has locked commits, whether an error that was caught has aborted it: the server would
 * answer COMMIT with a rollback, of which the driver says nothing. It asks the driver, and takes no round trip.
 */
final class SilentRollback implements TransactionSynchronization {
    private final Watched watched;

    /** What is bound to the thread while it is watched. */
    private record Watched(DataSource dataSource) {}

    private SilentRollback(Watched watched) {
        this.watched = watched;
    }

    /** Watches the running transaction of a DataSource, once. */
    static void watch(DataSource dataSource) {
        Watched watched = new Watched(dataSource);
        if (!TransactionSynchronizationManager.hasResource(watched)) {
            SilentRollback watch = new SilentRollback(watched);
            TransactionSynchronizationManager.registerSynchronization(watch);
            TransactionSynchronizationManager.bindResource(watched, watch);
        }
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        Connection connection = DataSourceUtils.getConnection(watched.dataSource());
        try {
            if (isAborted(connection)) {
                // Not Spring's UnexpectedRollbackException, for which the transaction manager would not roll back.
                throw new InvalidDataAccessApiUsageException(
                        "A statement of the transaction failed and the work went on, but PostgreSQL had aborted the"
                                + " transaction and would have answered COMMIT with a rollback: nothing of it is stored. Let"
                                + " the work throw what its statements throw, or put a savepoint around the statement that"
                                + " may fail (Propagation.NESTED).",
                        firstError(connection));
            }
        } finally {
            DataSourceUtils.releaseConnection(connection, watched.dataSource());
        }
    }

    /** Of a connection that is lost the commit itself tells. */
    private static boolean isAborted(Connection connection) {
        try {
            return connection.isWrapperFor(BaseConnection.class)
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
        } catch (SQLException e) {
            return false;
        }
    }

    /** The driver keeps the first error of a transaction, and gives it as the cause of any that follows. */
    private static @Nullable SQLException firstError(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : e;
        }
    }

    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(watched);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(watched, this);
    }

    @Override
    public void afterCompletion(int status) {
        TransactionSynchronizationManager.unbindResourceIfPossible(watched);
    }
}
