package org.rowlock.spring.internal.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.RowLockTransactionManager;
import org.rowlock.spring.internal.pool.Pools;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Hears of the commits of a transaction manager, and so of what is in the DataSource that this commits. Spring calls it
 * behind all that is registered for the moment before a commit, also what is registered then, and rolls back if it
 * throws.
 */
public final class CommitListener implements TransactionExecutionListener {
    private static final Log LOG = LogFactory.getLog(CommitListener.class);

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

    /**
     * Whether a call may queue: the thread is in no transaction, nor in a scope that suspends one (NOT_SUPPORTED),
     * which may hold locks too, nor in one without a transaction (SUPPORTS) that has a connection or an entity manager
     * already.
     */
    public static boolean mayQueue() {
        Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
        if (TransactionSynchronizationManager.isActualTransactionActive()
                || bound.values().stream().anyMatch(Begun.class::isInstance)) {
            return false;
        }
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && bound.values().stream().anyMatch(ResourceHolder.class::isInstance)) {
            LOG.debug("The call does not queue in the JVM: a scope around it, such as SUPPORTS, has read something"
                    + " and keeps its connection");
            return false;
        }
        return true;
    }

    /**
     * Stands in each transaction of the thread whose manager informs Rowlock of its commit, whether it locks or not;
     * the first to be suspended and resumed.
     */
    static final class Begun implements TransactionSynchronization {
        private final TransactionExecution execution;

        /** Null if the manager does not say: then it is each that no other manager commits. */
        private final @Nullable DataSource dataSource;

        private boolean atItsCommit;

        private Begun(TransactionExecution execution, @Nullable DataSource dataSource) {
            this.execution = execution;
            this.dataSource = dataSource;
        }

        /** Also afterwards, as long as it is there. */
        boolean isAtItsCommit() {
            return atItsCommit;
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        /** Bound to the thread as long as it is suspended, since it may hold locks. */
        @Override
        public void suspend() {
            TransactionSynchronizationManager.bindResource(this, this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.unbindResourceIfPossible(this);
        }

        /** It is suspended still if another synchronization has thrown when it was to be resumed. */
        @Override
        public void afterCompletion(int status) {
            resume();
        }
    }

    /** The one that commits a DataSource; if no manager says that it does, one whose manager does not say. */
    static @Nullable Begun begun(DataSource dataSource) {
        Begun its = find(begun -> !begun.execution.isCompleted() && dataSource.equals(begun.dataSource));
        return its == null ? find(begun -> !begun.execution.isCompleted() && begun.dataSource == null) : its;
    }

    private static @Nullable Begun begun(TransactionExecution transaction) {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? find(begun -> begun.execution.equals(transaction))
                : null;
    }

    /** One of the thread; of several that is the last. */
    private static @Nullable Begun find(Predicate<Begun> which) {
        Begun found = null;
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof Begun begun && which.test(begun)) {
                found = begun;
            }
        }
        return found;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        // A savepoint (NESTED) is none.
        if (failure == null
                && transaction.isNewTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            DataSource dataSource = DataSources.committedBy(manager);
            TransactionSynchronizationManager.registerSynchronization(
                    new Begun(transaction, dataSource == null ? null : Pools.bound(dataSource)));
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Begun begun = begun(transaction);
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
    private static void end(TransactionExecution transaction) {
        Begun begun = begun(transaction);
        if (begun != null) {
            SpringTransaction.of(begun).forEach(SpringTransaction::end);
        }
    }
}
