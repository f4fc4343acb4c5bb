package org.rowlock.spring.internal.call;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockTransactionManager;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Hears of the commits of a transaction manager, and so of what is in the DataSource that this commits. Spring calls it
 * behind all that is registered for the moment before a commit, also what is registered then, and rolls back if it
 * throws.
 */
public final class CommitListener implements TransactionExecutionListener {
    private final ConfigurableTransactionManager manager;

    public CommitListener(ConfigurableTransactionManager manager) {
        this.manager = manager;
    }

    /** Listens to a transaction manager, once. */
    public static void listenTo(@Nullable Object manager) {
        if (manager instanceof ConfigurableTransactionManager telling
                && telling.getTransactionExecutionListeners().stream().noneMatch(CommitListener.class::isInstance)) {
            // The application's own collection may be one that cannot change.
            List<TransactionExecutionListener> all = new ArrayList<>(telling.getTransactionExecutionListeners());
            all.add(new CommitListener(telling));
            telling.setTransactionExecutionListeners(all);
        }
    }

    /** Null if the manager does not say: then it is each that no other manager commits. */
    @Nullable
    public DataSource dataSource() {
        DataSource dataSource = DataSources.committedBy(manager);
        return dataSource == null ? null : Pools.bound(dataSource);
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        // A savepoint (NESTED) is none.
        if (failure == null
                && transaction.isNewTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new BegunTransaction(this));
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        BegunTransaction begun = begun(transaction);
        if (begun != null) {
            for (SpringTransaction each : SpringTransaction.of(begun)) {
                // Rowlock's own manager sends them with the COMMIT.
                each.finish(!(manager instanceof RowLockTransactionManager));
            }
            begun.atItsCommit = true;
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        end(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        end(transaction);
    }

    /** Those of another manager, around it, go on; theirs are the synchronizations. */
    private void end(TransactionExecution transaction) {
        BegunTransaction begun = begun(transaction);
        if (begun != null) {
            begun.ended = true;
            SpringTransaction.of(begun).forEach(SpringTransaction::end);
        }
    }

    private @Nullable BegunTransaction begun(TransactionExecution transaction) {
        return transaction.isNewTransaction() && TransactionSynchronizationManager.isSynchronizationActive()
                ? BegunTransaction.of(this)
                : null;
    }
}
