package org.rowlock.spring.internal.call;

import java.util.Map;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stands in each transaction of the thread whose manager informs Rowlock of its commit, whether it locks or not; the
 * first to be suspended and resumed.
 */
public final class BegunTransaction implements TransactionSynchronization {
    private static final Log LOG = LogFactory.getLog(BegunTransaction.class);

    private final CommitListener by;

    /** Set by its listener. */
    boolean atItsCommit;

    /** Set by its listener. */
    boolean ended;

    BegunTransaction(CommitListener by) {
        this.by = by;
    }

    /** The one that commits a DataSource; if no manager says that it does, one whose manager does not say. */
    static @Nullable BegunTransaction of(DataSource dataSource) {
        BegunTransaction its = find(begun -> dataSource.equals(begun.by.dataSource()));
        return its == null ? find(begun -> begun.by.dataSource() == null) : its;
    }

    static @Nullable BegunTransaction of(CommitListener by) {
        return find(begun -> begun.by == by);
    }

    /** One of the thread that has not ended; of several that is the last. */
    private static @Nullable BegunTransaction find(Predicate<BegunTransaction> which) {
        BegunTransaction found = null;
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof BegunTransaction begun && !begun.ended && which.test(begun)) {
                found = begun;
            }
        }
        return found;
    }

    /**
     * Whether a call may queue: the thread is in no transaction, nor in a scope that suspends one (NOT_SUPPORTED),
     * which may hold locks too, nor in one without a transaction (SUPPORTS) that has a connection or an entity manager
     * already.
     */
    public static boolean mayQueue() {
        Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
        if (TransactionSynchronizationManager.isActualTransactionActive()
                || bound.values().stream().anyMatch(BegunTransaction.class::isInstance)) {
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
