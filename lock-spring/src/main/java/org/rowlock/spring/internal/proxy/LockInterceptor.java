package org.rowlock.spring.internal.proxy;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.spring.internal.annotation.CallLocks;
import org.rowlock.spring.internal.annotation.MethodLocks;
import org.rowlock.spring.internal.call.LockedCall;

/** Locks, inside the transaction, before the method runs. */
public final class LockInterceptor implements MethodInterceptor {
    private static final Log LOG = LogFactory.getLog(LockInterceptor.class);

    private final LockAdvice advice;
    private final boolean adviceBetween;

    /** @param adviceBetween whether there is advice between the queue and this, which may change the arguments */
    LockInterceptor(LockAdvice advice, boolean adviceBetween) {
        this.advice = advice;
        this.adviceBetween = adviceBetween;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodLocks method = advice.method(invocation);
        if (method != null) {
            lock(invocation, method);
        }
        return invocation.proceed();
    }

    private void lock(MethodInvocation invocation, MethodLocks method) {
        AdmissionInterceptor.Queued queued = AdmissionInterceptor.queued(invocation);
        CallLocks locked = evaluate(invocation.getArguments(), method, queued == null ? null : queued.locks());
        if (locked.keys().isEmpty()) {
            LOG.debug(method.what() + ": there are no ids, so nothing is locked");
            return;
        }
        LockedCall call = queued == null ? advice.call(method, invocation) : queued.call();
        call.lock(locked.request(), locked.required());
    }

    /** Once for the queue and the lock, unless advice between them may have changed what the arguments say. */
    private CallLocks evaluate(@Nullable Object[] arguments, MethodLocks method, @Nullable CallLocks queued) {
        if (queued == null || !queued.isOf(arguments)) {
            return method.of(arguments);
        }
        return adviceBetween ? method.of(arguments).orIdsOf(queued) : queued;
    }
}
