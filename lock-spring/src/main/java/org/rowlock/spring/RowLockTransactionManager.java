package org.rowlock.spring;

import javax.sql.DataSource;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.SpringTransaction;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * A JdbcTransactionManager that sends the writes of {@link RowLockTemplate#atCommit()} with the COMMIT, in one flush,
 * so that the locks of the transaction are held for a round trip less; and that lets go of the locks before the commit
 * is durable, where that is {@linkplain org.rowlock.LockRelease#EARLY configured}. Otherwise it is the same. Declare it
 * as a bean, and Spring Boot makes none of its own:
 *
 * <pre>{@code
 * @Bean
 * RowLockTransactionManager transactionManager(DataSource dataSource) {
 *     return new RowLockTransactionManager(dataSource);
 * }
 * }</pre>
 *
 * <p>Where a write or the commit fails, the transaction is rolled back, and the exception is Spring's. Where it is not
 * known whether it has committed, it is a {@link org.springframework.transaction.HeuristicCompletionException}, as
 * {@link LockExceptionTranslator} has it. Thread-safe.
 */
public class RowLockTransactionManager extends JdbcTransactionManager {
    private static final long serialVersionUID = 1;

    /**
     * A transaction manager.
     *
     * @param dataSource whose transactions
     */
    @SuppressWarnings("this-escape") // Of Spring's own, which keeps the listener and calls nothing.
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
