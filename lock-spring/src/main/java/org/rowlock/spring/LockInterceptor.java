package org.rowlock.spring;

import java.util.function.Supplier;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;

/** Locks, inside the transaction, before the method runs. */
final class LockInterceptor implements MethodInterceptor {
    private static final Log LOG = LogFactory.getLog(LockInterceptor.class);

    private final RowLockDefinitions definitions;
    private final Supplier<SpringLocks> locks;
    private final DataSources dataSources;
    private final TransactionDeclarations transactions;
    private final boolean adviceBetween;

    /** @param adviceBetween whether there is advice between the queue and this, which may change the arguments */
    LockInterceptor(
            RowLockDefinitions definitions,
            Supplier<SpringLocks> locks,
            DataSources dataSources,
            TransactionDeclarations transactions,
            boolean adviceBetween) {
        this.definitions = definitions;
        this.locks = locks;
        this.dataSources = dataSources;
        this.transactions = transactions;
        this.adviceBetween = adviceBetween;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> targetClass = Placement.targetClass(invocation);
        MethodLocks method = definitions.of(invocation.getMethod(), targetClass);
        if (method != null) {
            lock(invocation, method, targetClass);
        }
        return invocation.proceed();
    }

    private void lock(MethodInvocation invocation, MethodLocks method, Class<?> targetClass) {
        CallLocks call = evaluate(invocation, method);
        String what = "@RowLock on " + DefinitionReader.where(method.method());
        if (call.keys().isEmpty()) {
            LOG.debug(what + ": there are no ids, so nothing is locked");
            return;
        }
        DataSource dataSource =
                dataSources.of(method.dataSource(), transactions.managerOf(invocation.getMethod(), targetClass));
        SpringLocks spring = locks.get();
        LockWait wait = spring.waitOf(method);
        Long queuedSince = AdmissionInterceptor.queuedSince(invocation);
        long start = queuedSince == null ? System.nanoTime() : queuedSince;
        spring.lock(what, dataSource, call.keys(), LockWaits.remaining(wait, start));
        AdmissionInterceptor.connected(invocation);
        for (int i = 0; i < method.definitions().size(); i++) {
            for (EntityRead read : method.definitions().get(i).reads().get()) {
                read.behindLock(call.ids().get(i), dataSource);
            }
        }
    }

    /** Once for the queue and the lock, unless advice between them may have changed what the arguments say. */
    private CallLocks evaluate(MethodInvocation invocation, MethodLocks method) {
        @Nullable Object[] arguments = invocation.getArguments();
        CallLocks queued = AdmissionInterceptor.evaluated(invocation);
        if (queued == null || !queued.isOf(arguments)) {
            return method.of(arguments);
        }
        return adviceBetween ? method.of(arguments).orIdsOf(queued) : queued;
    }
}
