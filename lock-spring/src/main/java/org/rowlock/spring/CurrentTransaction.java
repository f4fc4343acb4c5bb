package org.rowlock.spring;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.rowlock.LockWait;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The thread's running Spring transaction: its connection, and how much time it has left. */
final class CurrentTransaction {
    private CurrentTransaction() {}

    /**
     * Runs something on the transaction's own connection.
     *
     * @param what for messages, such as {@code @RowLock on OrderService.ship(long)}
     * @param call is given the connection, and the wait capped by what remains of the transaction's timeout
     * @throws IllegalTransactionStateException if there is no transaction, or none of this DataSource
     * @throws InvalidDataAccessApiUsageException if it is read-only
     */
    static <T> T run(String what, DataSource dataSource, LockWait wait, BiFunction<Connection, LockWait, T> call) {
        ConnectionHolder holder = holder(what, target(dataSource));
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new InvalidDataAccessApiUsageException(
                    what + ": the transaction is read-only, and row locks are refused"
                            + " there as FOR UPDATE is. Remove readOnly = true where the transaction begins.");
        }
        LockWait capped =
                remaining(holder).map(left -> LockWaits.atMost(wait, left)).orElse(wait);
        DataSource target = target(dataSource);
        SilentRollback.watch(target);
        Connection connection = DataSourceUtils.getConnection(target);
        try {
            return call.apply(connection, capped);
        } finally {
            DataSourceUtils.releaseConnection(connection, target);
        }
    }

    private static ConnectionHolder holder(String what, DataSource dataSource) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException(
                    what + ": there is no transaction, and without one the lock would be"
                            + " gone at once. Add @Transactional to the method or a caller (without Spring Boot also @EnableTransactionManagement); a call within the same object passes no"
                            + " proxy and begins none.");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalTransactionStateException(
                    what + ": the transaction of this thread has ended, in whose AFTER_COMMIT, AFTER_ROLLBACK or"
                            + " AFTER_COMPLETION phase this is. Begin one of its own:"
                            + " @Transactional(propagation = Propagation.REQUIRES_NEW).");
        }
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
            return holder;
        }
        throw new IllegalTransactionStateException(what + ": the running transaction is not one of " + dataSource
                + ". Name the DataSource that belongs to its transaction manager (dataSource = \"bean name\"), or the"
                + " transaction manager that belongs to the DataSource (@Transactional(\"bean name\")); with JPA, the"
                + " JpaTransactionManager has to know the DataSource.");
    }

    /** Throws TransactionTimedOutException if nothing remains, as any statement would. */
    private static Optional<Duration> remaining(ConnectionHolder holder) {
        return holder.hasTimeout()
                ? Optional.of(Duration.ofMillis(Math.max(1, holder.getTimeToLiveInMillis())))
                : Optional.empty();
    }

    /** What transaction managers bind. */
    static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource()
                : dataSource;
    }
}
