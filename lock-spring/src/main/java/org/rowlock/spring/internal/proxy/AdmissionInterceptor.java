package org.rowlock.spring.internal.proxy;

import java.time.Duration;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.internal.annotation.CallLocks;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.call.BegunTransaction;
import org.rowlock.spring.internal.call.LockedCall;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.interceptor.TransactionAttribute;

/**
 * Queues in the JVM for the keys of a call, directly in front of the transaction that it begins, and leaves when that
 * has ended and its connection is back. Inside a running transaction it does nothing: a thread waiting here with
 * locks could be in a deadlock that the server cannot see.
 */
final class AdmissionInterceptor implements MethodInterceptor {
    private static final String QUEUED = Queued.class.getName();

    /**
     * A call that has its turn.
     *
     * @param locks what it locks, as evaluated for the queue
     */
    record Queued(LockedCall call, CallLocks locks) {}

    private final LockAdvice advice;

    AdmissionInterceptor(LockAdvice advice) {
        this.advice = advice;
    }

    /** The call as it queued; null if it did not. */
    static @Nullable Queued queued(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? (Queued) proxied.getUserAttribute(QUEUED) : null;
    }

    // The result of the body is null exactly if the method's is.
    @SuppressWarnings("NullAway")
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodLocks method = advice.method(invocation);
        TransactionAttribute transaction = advice.transaction(invocation);
        if (method == null
                || transaction == null
                || !TransactionDeclarations.begins(transaction)
                || !BegunTransaction.mayQueue()
                || !advice.locks().get().settings().admission()) {
            return invocation.proceed();
        }
        CallLocks asked = callOrNone(method, invocation);
        if (asked == null || asked.keys().isEmpty()) {
            return invocation.proceed();
        }
        LockedCall call = advice.call(method, invocation);
        if (invocation instanceof ProxyMethodInvocation proxied) {
            proxied.setUserAttribute(QUEUED, new Queued(call, asked));
        }
        Duration timeout = transaction.getTimeout() > 0 ? Duration.ofSeconds(transaction.getTimeout()) : null;
        return call.queued(asked.request(), timeout, invocation::proceed);
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
