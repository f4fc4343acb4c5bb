package org.rowlock.spring;

import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Queues in the JVM for the keys of a call, directly in front of the transaction that it begins, and leaves when that has
 * ended and its connection is back. Inside a running transaction it does nothing: who waits here while holding locks
 * could be in a deadlock that the server cannot see.
 */
final class AdmissionInterceptor implements MethodInterceptor {
    private static final String QUEUED = Queued.class.getName();

    /**
     * A call that has its turn.
     *
     * @param locks what it locks, as evaluated for the queue
     */
    record Queued(LockedCall call, CallLocks locks) {}

    private final RowLockDefinitions definitions;
    private final Supplier<SpringLocks> locks;
    private final DataSources dataSources;
    private final TransactionDeclarations transactions;

    AdmissionInterceptor(
            RowLockDefinitions definitions,
            Supplier<SpringLocks> locks,
            DataSources dataSources,
            TransactionDeclarations transactions) {
        this.definitions = definitions;
        this.locks = locks;
        this.dataSources = dataSources;
        this.transactions = transactions;
    }

    /** The call as it queued; null if it did not. */
    static @Nullable Queued queued(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? (Queued) proxied.getUserAttribute(QUEUED) : null;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> targetClass = Placement.targetClass(invocation);
        MethodLocks method = definitions.of(invocation.getMethod(), targetClass);
        TransactionAttribute transaction = transactions.of(invocation.getMethod(), targetClass);
        if (method == null
                || transaction == null
                || !TransactionDeclarations.begins(transaction)
                || !isOutermost()
                || !locks.get().settings().admission()) {
            return invocation.proceed();
        }
        CallLocks asked = callOrNone(method, invocation);
        if (asked == null || asked.keys().isEmpty()) {
            return invocation.proceed();
        }
        LockedCall call = method.call(
                locks.get(),
                dataSources.of(method.dataSource(), transactions.managerOf(invocation.getMethod(), targetClass)));
        if (invocation instanceof ProxyMethodInvocation proxied) {
            proxied.setUserAttribute(QUEUED, new Queued(call, asked));
        }
        Duration timeout = transaction.getTimeout() > 0 ? Duration.ofSeconds(transaction.getTimeout()) : null;
        return call.queued(asked.keys(), timeout, invocation::proceed);
    }

    /**
     * Whether the thread is in no transaction, nor in a scope that suspends one (NOT_SUPPORTED), which may hold locks too.
     */
    static boolean isOutermost() {
        return !TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Bad arguments are for the validation behind this, or else for the lock, to refuse. */
    private static @Nullable CallLocks callOrNone(MethodLocks method, MethodInvocation invocation) {
        try {
            return method.of(invocation.getArguments());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
