package org.rowlock.spring;

import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.springframework.beans.factory.BeanFactory;

/** Locks, inside the transaction, before the method runs. */
final class LockInterceptor implements MethodInterceptor {
    private final RowLockDefinitions definitions;
    private final Supplier<SpringLocks> locks;
    private final DataSources dataSources;
    private final BeanFactory beans;
    private final TransactionDeclarations transactions;

    LockInterceptor(
            RowLockDefinitions definitions,
            Supplier<SpringLocks> locks,
            DataSources dataSources,
            BeanFactory beans,
            TransactionDeclarations transactions) {
        this.definitions = definitions;
        this.locks = locks;
        this.dataSources = dataSources;
        this.beans = beans;
        this.transactions = transactions;
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
        @Nullable Object[] arguments = invocation.getArguments();
        Map<LockKey, RowLockMode> keys = method.keys(arguments);
        if (keys.isEmpty()) {
            return;
        }
        DataSource dataSource =
                dataSources.of(method.dataSource(), transactions.managerOf(invocation.getMethod(), targetClass));
        String what = "@RowLock on " + DefinitionReader.where(method.method());
        SpringLocks spring = locks.get();
        LockWait wait = spring.waitOf(method);
        Long queuedSince = AdmissionInterceptor.queuedSince(invocation);
        long start = queuedSince == null ? System.nanoTime() : queuedSince;
        spring.lock(what, dataSource, keys, LockWaits.remaining(wait, start));
        for (RowLockDefinition definition : method.definitions()) {
            if (definition.refresh() && definition.entity() != null) {
                EntityRefresh.refresh(beans, definition.entity(), definition.entityIds(method.call(arguments)));
            }
        }
    }
}
