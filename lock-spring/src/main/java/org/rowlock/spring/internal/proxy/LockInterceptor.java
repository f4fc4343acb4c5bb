package org.rowlock.spring.internal.proxy;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockResult;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.annotation.MethodLocks.Call;
import org.rowlock.spring.internal.annotation.RowLockDefinitions;
import org.rowlock.spring.internal.call.CommitListener;
import org.rowlock.spring.internal.call.DataSources;
import org.rowlock.spring.internal.call.LockedCall;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * The locking interceptor of one proxy. It runs in the transaction, directly before the method.
 *
 * @param transactions the transactions that the proxy begins for its methods
 * @param adviceBetween whether other advice, which may change the arguments, runs between queueing and locking
 */
record LockInterceptor(
        RowLockDefinitions definitions,
        Supplier<SpringLocks> locks,
        DataSources dataSources,
        TransactionDeclarations transactions,
        boolean adviceBetween)
        implements MethodInterceptor {
    private static final Log LOG = LogFactory.getLog(LockInterceptor.class);
    private static final String QUEUED = Queued.class.getName();

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Queued queued = (Queued) ((ProxyMethodInvocation) invocation).getUserAttribute(QUEUED);
        MethodLocks method =
                queued == null ? method(invocation) : queued.locks().method();
        if (method == null) {
            return invocation.proceed();
        }
        Call locked = queued == null || adviceBetween ? method.of(invocation.getArguments()) : queued.locks();
        if (queued != null && adviceBetween && queued.isOf(invocation.getArguments())) {
            locked = locked.orKeysOf(queued.locks());
        }
        RequestParts request = locked.request();
        if (request == null) {
            LOG.debug(method.what() + ": there are no ids, so nothing is locked");
        } else {
            LockedCall call = queued == null ? call(method, manager(invocation)) : queued.call();
            LockResult unused = call.lock(request.allowAbsent(), locked::required);
        }
        return invocation.proceed();
    }

    private @Nullable MethodLocks method(MethodInvocation invocation) {
        return definitions.of(invocation.getMethod(), targetClass(invocation));
    }

    private static Class<?> targetClass(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target != null
                ? AopUtils.getTargetClass(target)
                : invocation.getMethod().getDeclaringClass();
    }

    private @Nullable TransactionManager manager(MethodInvocation invocation) {
        return transactions.managerOf(invocation.getMethod(), targetClass(invocation));
    }

    private LockedCall call(MethodLocks method, @Nullable TransactionManager manager) {
        return new LockedCall(locks.get(), method.what(), dataSources.of(manager), method.lockWait());
    }

    /**
     * A call that the queue has admitted.
     *
     * @param locks the locks of the call, as evaluated before the call queued
     * @param arguments the arguments from which the locks were evaluated
     */
    private record Queued(LockedCall call, Call locks, List<@Nullable Object> arguments) {

        /** Whether the locks were evaluated from these objects. Other advice may have replaced the arguments. */
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(@Nullable Object[] others) {
            return arguments.size() == others.length
                    && IntStream.range(0, others.length).allMatch(i -> arguments.get(i) == others[i]);
        }
    }

    /**
     * Queues in the JVM for the keys of a call, directly before the call begins its transaction. The call leaves the
     * queue when the transaction ends, before its connection is returned to the pool. In a running transaction this
     * interceptor does nothing: a thread that waited in the queue while it held locks could cause a deadlock that the
     * server cannot detect.
     */
    final class Admission implements MethodInterceptor {
        // The call returns null only if the intercepted method returns null.
        @SuppressWarnings("NullAway")
        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            ProxyMethodInvocation proxied = (ProxyMethodInvocation) invocation;
            // A retry gets the attributes of the last attempt, so the old attribute is removed.
            proxied.setUserAttribute(QUEUED, null);
            MethodLocks method = method(invocation);
            TransactionAttribute transaction = transactions.of(invocation.getMethod(), targetClass(invocation));
            if (method == null
                    || transaction == null
                    || !TransactionDeclarations.begins(transaction)
                    || !CommitListener.mayQueue()
                    || !locks.get().settings().admission()) {
                return invocation.proceed();
            }
            Call asked = callOrNone(method, invocation);
            RequestParts request = asked == null ? null : asked.request();
            if (asked == null || request == null) {
                return invocation.proceed();
            }
            TransactionManager manager = manager(invocation);
            LockedCall call = call(method, manager);
            List<@Nullable Object> arguments =
                    Arrays.asList(invocation.getArguments().clone());
            proxied.setUserAttribute(QUEUED, new Queued(call, asked, arguments));
            return call.queued(request, transaction, manager, invocation::proceed);
        }

        /**
         * Returns the locks of a call. Returns null if the evaluation fails, because an expression may need the
         * transaction. Later, either method validation or the locking interceptor rejects invalid arguments.
         */
        private static @Nullable Call callOrNone(MethodLocks method, MethodInvocation invocation) {
            try {
                return method.of(invocation.getArguments());
            } catch (RuntimeException e) {
                return null;
            }
        }
    }
}
