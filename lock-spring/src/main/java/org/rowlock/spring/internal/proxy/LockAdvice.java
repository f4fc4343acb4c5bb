package org.rowlock.spring.internal.proxy;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.annotation.RowLockDefinitions;
import org.rowlock.spring.internal.call.DataSources;
import org.rowlock.spring.internal.call.LockedCall;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** What the interceptors of one proxy know: which of its methods lock, and in which transactions. */
record LockAdvice(
        RowLockDefinitions definitions,
        Supplier<SpringLocks> locks,
        DataSources dataSources,
        TransactionDeclarations transactions) {

    /** Null for a method that locks nothing. */
    @Nullable
    MethodLocks method(MethodInvocation invocation) {
        return definitions.of(invocation.getMethod(), Placement.targetClass(invocation));
    }

    /** Null for a method that declares none. */
    @Nullable
    TransactionAttribute transaction(MethodInvocation invocation) {
        return transactions.of(invocation.getMethod(), Placement.targetClass(invocation));
    }

    LockedCall call(MethodLocks method, MethodInvocation invocation) {
        TransactionDeclarations.Manager manager =
                transactions.managerOf(invocation.getMethod(), Placement.targetClass(invocation));
        return new LockedCall(locks.get(), method.what(), dataSources.of(manager), method.lockWait());
    }
}
