package org.rowlock.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** Listeners that run after a transaction has ended, with its connection still bound to the thread. */
final class EventListeners {
    private EventListeners() {}

    /**
     * Refuses one that would lock in the transaction that has ended.
     *
     * @param transaction what it declares; null for none
     * @throws RowLockDefinitionException if it is one
     */
    static void check(Method method, Class<?> targetClass, @Nullable TransactionAttribute transaction) {
        TransactionalEventListener listener =
                AnnotatedElementUtils.findMergedAnnotation(method, TransactionalEventListener.class);
        if (listener == null
                || listener.phase() == TransactionPhase.BEFORE_COMMIT
                || AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(targetClass, Async.class)
                || (transaction != null
                        && transaction.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRES_NEW)) {
            return;
        }
        throw new RowLockDefinitionException(
                "@RowLock on " + DefinitionReader.where(method) + " is on a @TransactionalEventListener of the phase "
                        + listener.phase()
                        + ", which runs when the transaction has ended: the lock would be one of that"
                        + " transaction, and what the method writes would not be committed.",
                "Give it a transaction of its own: @Transactional(propagation = Propagation.REQUIRES_NEW), or @Async.");
    }
}
