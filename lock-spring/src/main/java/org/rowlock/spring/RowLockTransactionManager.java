package org.rowlock.spring;

import javax.sql.DataSource;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.SpringTransaction;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * A JdbcTransactionManager that sends the writes of {@link RowLockTemplate#atCommit()} with the COMMIT, in one flush.
 * Rows are therefore locked for one round trip less than with a separate COMMIT. If
 * {@linkplain org.rowlock.RowLocksBuilder.LockRelease#EARLY early release} is configured, this manager also releases
 * the locks before the commit is durable. In every other respect this manager works like a JdbcTransactionManager.
 * Declare a bean of this type; Spring Boot then creates no manager of its own:
 *
 * <pre>{@code
 * @Bean
 * RowLockTransactionManager transactionManager(DataSource dataSource) {
 *     return new RowLockTransactionManager(dataSource);
 * }
 * }</pre>
 *
 * <p>If a write or the commit fails, the transaction is rolled back, and the commit throws Spring's exception. If the
 * outcome is unknown, the exception is a {@link org.springframework.transaction.HeuristicCompletionException}, as
 * {@link LockExceptionTranslator} describes. Thread-safe.
 */
public class RowLockTransactionManager extends JdbcTransactionManager {
    private static final long serialVersionUID = 1;

    /**
     * Creates a transaction manager.
     *
     * @param dataSource the DataSource of its transactions
     */
    @SuppressWarnings("this-escape") // The called method is Spring's own. It only stores the listener.
    public RowLockTransactionManager(DataSource dataSource) {
        super(dataSource);
        addListener(new CommitListener(this));
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        SpringTransaction transaction = status.isNewTransaction() ? SpringTransaction.find(obtainDataSource()) : null;
        if (transaction == null || !transaction.commit()) {
            super.doCommit(status);
        }
    }
}
