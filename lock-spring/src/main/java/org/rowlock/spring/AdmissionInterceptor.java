package org.rowlock.spring;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Queues in the JVM for the keys of a call, directly in front of the transaction that it begins, and leaves when that has
 * ended and its connection is back. Inside a running transaction it does nothing: who waits here while holding locks
 * could be in a deadlock that the server cannot see.
 */
final class AdmissionInterceptor implements MethodInterceptor {
    private static final String QUEUED_SINCE = AdmissionInterceptor.class.getName();
    private static final String LOCKS = CallLocks.class.getName();
    private static final String TURN = Turn.class.getName();

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

    /**
     * When a call began to queue, as the wait spans both the queue and the server; null if it did not. Told once: a retry
     * within the transaction has not queued.
     */
    static @Nullable Long queuedSince(MethodInvocation invocation) {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            return null;
        }
        Long since = (Long) proxied.getUserAttribute(QUEUED_SINCE);
        if (since != null) {
            proxied.setUserAttribute(QUEUED_SINCE, null);
        }
        return since;
    }

    /** What a call locks, as it was evaluated for the queue; null if it was not, or could not be. */
    static @Nullable CallLocks evaluated(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? (CallLocks) proxied.getUserAttribute(LOCKS) : null;
    }

    /** Says that the call has its locks, and so had a connection. */
    static void connected(MethodInvocation invocation) {
        if (invocation instanceof ProxyMethodInvocation proxied
                && proxied.getUserAttribute(TURN) instanceof Turn turn) {
            turn.connected();
        }
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
        CallLocks call = callOrNone(method, invocation);
        if (call == null || call.keys().isEmpty()) {
            return invocation.proceed();
        }
        if (invocation instanceof ProxyMethodInvocation proxied) {
            proxied.setUserAttribute(QUEUED_SINCE, System.nanoTime());
            proxied.setUserAttribute(LOCKS, call);
        }
        try (Turn turn =
                enter(method, transaction, transactions.managerOf(invocation.getMethod(), targetClass), call.keys())) {
            if (invocation instanceof ProxyMethodInvocation proxied) {
                proxied.setUserAttribute(TURN, turn);
            }
            try {
                return invocation.proceed();
            } catch (Throwable e) {
                turn.failed(e);
                throw e;
            }
        }
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

    private Turn enter(
            MethodLocks method,
            TransactionAttribute transaction,
            TransactionDeclarations.Manager manager,
            Map<LockKey, RowLockMode> keys) {
        SpringLocks spring = locks.get();
        LockWait asked = spring.waitOf(method);
        // Nobody who gives a transaction 5 seconds expects to stand in front of it for longer.
        LockWait wait = transaction.getTimeout() > 0
                ? LockWaits.atMost(asked, Duration.ofSeconds(transaction.getTimeout()))
                : asked;
        return spring.enter(dataSources.of(method.dataSource(), manager), keys, wait);
    }
}
