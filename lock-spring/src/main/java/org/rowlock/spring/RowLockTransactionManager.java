package org.rowlock.spring;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A JdbcTransactionManager that sends the writes of {@link RowLockTemplate#atCommit()} with the COMMIT, in one flush, so that
 * the locks of the transaction are held for a round trip less; and that lets go of the locks before the commit is durable, where
 * that is {@linkplain org.rowlock.LockRelease#EARLY configured}. Otherwise it is the same. Declare it as a bean, and Spring
 * Boot makes none of its own:
 *
 * <pre>{@code
 * @Bean
 * RowLockTransactionManager transactionManager(DataSource dataSource) {
 *     return new RowLockTransactionManager(dataSource);
 * }
 * }</pre>
 *
 * <p>Where a write or the commit fails, the transaction is rolled back, and the exception is Spring's. Where it is not known
 * whether it has committed, it is a {@link org.springframework.transaction.HeuristicCompletionException}, as
 * {@link LockExceptionTranslator} has it. Thread-safe.
 */
public class RowLockTransactionManager extends JdbcTransactionManager {
    private static final long serialVersionUID = 1;

    /**
     * A transaction manager.
     *
     * @param dataSource whose transactions
     */
    public RowLockTransactionManager(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected void prepareForCommit(DefaultTransactionStatus status) {
        super.prepareForCommit(status);
        PendingWrites writes = pending(status);
        if (writes != null) {
            writes.leaveToCommit();
        }
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        PendingWrites writes = pending(status);
        DataSource dataSource = obtainDataSource();
        if (writes == null
                || !(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder)) {
            super.doCommit(status);
            return;
        }
        try {
            writes.commit(holder.getConnection());
        } catch (SQLException e) {
            throw translateException("JDBC commit", e);
        }
    }

    private @Nullable PendingWrites pending(DefaultTransactionStatus status) {
        return status.isNewTransaction() ? PendingWrites.find(obtainDataSource()) : null;
    }
}
