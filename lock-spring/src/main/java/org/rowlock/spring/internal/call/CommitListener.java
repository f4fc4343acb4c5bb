package org.rowlock.spring.internal.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockTransactionManager;
import org.rowlock.spring.internal.jpa.CommitFlushes;
import org.rowlock.spring.internal.jpa.SessionCaches;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Listens to the commits of a transaction manager, and records which DataSource a transaction commits. Spring calls the
 * listener after all beforeCommit and beforeCompletion callbacks, directly before the commit. If the listener throws an
 * exception, Spring rolls back.
 */
public record CommitListener(ConfigurableTransactionManager manager) implements TransactionExecutionListener {
    /** Adds a commit listener to a transaction manager that has no commit listener yet. */
    public static void listenTo(@Nullable Object manager) {
        if (manager instanceof ConfigurableTransactionManager telling
                && telling.getTransactionExecutionListeners().stream().noneMatch(CommitListener.class::isInstance)) {
            // The collection of listeners may belong to the application and be immutable, so the listener is added to a
            // copy.
            List<TransactionExecutionListener> all = new ArrayList<>(telling.getTransactionExecutionListeners());
            all.add(new CommitListener(telling));
            telling.setTransactionExecutionListeners(all);
        }
    }

    /**
     * Whether a call is allowed to queue. A thread must not queue while it has a running or suspended transaction,
     * because that transaction may hold locks. A thread with a connection must not queue either, because the first
     * caller in the queue may need this connection. A scope without a transaction (SUPPORTS) or a session
     * (open-in-view) may have a connection.
     */
    public static boolean mayQueue() {
        Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
        if (TransactionSynchronizationManager.isActualTransactionActive()
                || bound.keySet().stream().anyMatch(SpringTransaction.class::isInstance)) {
            return false;
        }
        return !SessionCaches.isAnyConnected()
                && !(TransactionSynchronizationManager.isSynchronizationActive()
                        && bound.values().stream().anyMatch(ResourceHolder.class::isInstance));
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        // A nested transaction is only a savepoint, and does not commit.
        if (failure == null
                && transaction.isNewTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            DataSource dataSource = DataSources.committedBy(manager);
            TransactionSynchronizationManager.registerSynchronization(
                    new SpringTransaction(transaction, dataSource == null ? null : Pools.bound(dataSource)));
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        // A RowLockTransactionManager sends the writes with the COMMIT. For any other manager, they are sent here.
        List<SpringTransaction> all = SpringTransaction.of(transaction);
        all.forEach(each -> each.finish(!(manager instanceof RowLockTransactionManager)));
        if (transaction.isNewTransaction() && !transaction.isReadOnly() && !transaction.isRollbackOnly()) {
            List<? extends Runnable> atFailure = CommitFlushes.open(manager);
            all.forEach(each -> each.failures = atFailure);
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        SpringTransaction.of(transaction).forEach(SpringTransaction::end);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        SpringTransaction.of(transaction).forEach(SpringTransaction::end);
    }
}
