package org.rowlock.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.LockCalls;
import org.rowlock.internal.queue.KeyQueues;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring context with helpers for tests. */
public final class TestContext extends AnnotationConfigApplicationContext {
    /** Returns transactions of the context's own manager. */
    public TransactionTemplate transactions() {
        return transactions(Propagation.REQUIRED);
    }

    public TransactionTemplate transactions(Propagation propagation) {
        TransactionTemplate transactions = new TransactionTemplate(getBean(PlatformTransactionManager.class));
        transactions.setPropagationBehavior(propagation.value());
        return transactions;
    }

    /** Runs work in a separate transaction, and commits. */
    public void inTransaction(Consumer<TransactionStatus> work) {
        transactions().executeWithoutResult(work);
    }

    /** Returns the entity manager of the running transaction. */
    public EntityManager entities() {
        return SharedEntityManagerCreator.createSharedEntityManager(getBean(EntityManagerFactory.class));
    }

    public RowLockTemplate template() {
        return getBean(RowLockTemplate.class);
    }

    /** Returns the bean without its proxies. */
    public <T> T target(Class<T> type) {
        return AopTestUtils.getUltimateTargetObject(getBean(type));
    }

    /** Registers work that the running transaction runs before its commit. */
    public static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    /** Registers work that the running transaction runs after its commit. */
    public static void afterCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                work.run();
            }
        });
    }

    /** Registers work that the running transaction runs at its end, with the status of the transaction. */
    public static void afterCompletion(IntConsumer work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                work.accept(status);
            }
        });
    }

    public KeyQueues queues() {
        return queues(this);
    }

    public static KeyQueues queues(BeanFactory beans) {
        return calls(beans).queues();
    }

    public static LockCalls calls(BeanFactory beans) {
        return LockAccess.of(beans.getBean(SpringLocks.class).locks()).calls();
    }
}
