package org.rowlock.spring.internal.proxy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.DefinitionReader;
import org.rowlock.spring.internal.annotation.LockingMethods;
import org.rowlock.spring.internal.call.TransactionDeclarations;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.interceptor.TransactionAttribute;

/** Whether a proxy can do anything about a {@link RowLock} where it stands. */
final class Placement {
    private static final List<String> REPOSITORY = List.of("org.springframework.data.repository.Repository");

    private Placement() {}

    /** The class that a call is for, as Spring's own interceptors determine it. */
    static Class<?> targetClass(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target != null
                ? AopUtils.getTargetClass(target)
                : invocation.getMethod().getDeclaringClass();
    }

    /** Refuses methods that no proxy can intercept. */
    static void check(List<Method> methods, String beanName) {
        for (Method method : methods) {
            int modifiers = method.getModifiers();
            String cannot = Modifier.isPrivate(modifiers)
                    ? "private"
                    : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : "";
            if (!cannot.isEmpty()) {
                throw new RowLockDefinitionException(
                        "@RowLock on " + DefinitionReader.where(method) + " of bean " + beanName
                                + " would lock nothing:" + " the method is " + cannot
                                + ", and no proxy can intercept it.",
                        "Make it a plain method of the bean, and call it from another bean.");
            }
        }
    }

    /**
     * Refuses methods that this proxy does not have, that return before their work is done, and transactions that
     * cannot hold a lock.
     */
    static void check(List<Method> methods, Advised proxy, TransactionDeclarations transactions) {
        Class<?> targetClass = AopUtils.getTargetClass(proxy);
        for (Method method : methods) {
            String where = "@RowLock on " + DefinitionReader.where(method);
            if (!proxy.isProxyTargetClass() && proxy.getProxiedInterfaces().length > 0 && !isOf(proxy, method)) {
                throw new RowLockDefinitionException(
                        where + " would lock nothing: the bean's proxy only has the methods of its interfaces.",
                        "Add the method to an interface, or proxy the class (proxyTargetClass = true).");
            }
            TransactionAttribute transaction = transactions.of(method, targetClass);
            DeferredResults.check(method, targetClass, transaction);
            if (transaction == null || isRepository(proxy)) {
                continue;
            }
            if (transaction.isReadOnly()) {
                throw new RowLockDefinitionException(
                        where + " is in a read-only transaction, where row locks are refused.",
                        "Remove readOnly = true from its @Transactional.");
            }
            if (TransactionDeclarations.excludes(transaction)) {
                throw new RowLockDefinitionException(
                        where + " never has a transaction, as its propagation is NOT_SUPPORTED or NEVER.",
                        "Choose another propagation.");
            }
        }
    }

    private static boolean isOf(Advised proxy, Method method) {
        return Arrays.stream(proxy.getProxiedInterfaces()).anyMatch(type -> LockingMethods.hasMethod(type, method));
    }

    /** Whether this is the proxy of a Spring Data repository. */
    static boolean isRepository(Advised proxy) {
        return Arrays.stream(proxy.getProxiedInterfaces()).anyMatch(type -> DeferredResults.isOneOf(REPOSITORY, type));
    }
}
