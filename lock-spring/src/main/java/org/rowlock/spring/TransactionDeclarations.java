package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.StringUtils;

/**
 * The transactions that the interceptors of one proxy declare for its methods.
 *
 * @param interceptors its transaction interceptors, the outermost first; none if it has none
 */
record TransactionDeclarations(List<TransactionInterceptor> interceptors) {

    /**
     * The transaction manager of a method.
     *
     * @param qualifier as the method names it; empty if it does not
     * @param given that of the interceptor, for a method that names none; null for the default
     */
    record Manager(String qualifier, @Nullable TransactionManager given) {
        static final Manager DEFAULT = new Manager("", null);
    }

    /** What the innermost of them declares, which is the transaction that the method runs in; null if none does. */
    @Nullable
    TransactionAttribute of(Method method, Class<?> targetClass) {
        TransactionAttribute innermost = null;
        for (TransactionInterceptor interceptor : interceptors) {
            TransactionAttribute attribute = attribute(interceptor, method, targetClass);
            innermost = attribute == null ? innermost : attribute;
        }
        return innermost;
    }

    /** Who begins it. */
    Manager managerOf(Method method, Class<?> targetClass) {
        Manager innermost = Manager.DEFAULT;
        for (TransactionInterceptor interceptor : interceptors) {
            TransactionAttribute attribute = attribute(interceptor, method, targetClass);
            if (attribute != null) {
                String qualifier = attribute.getQualifier();
                innermost = StringUtils.hasText(qualifier)
                        ? new Manager(qualifier, null)
                        : new Manager("", interceptor.getTransactionManager());
            }
        }
        return innermost;
    }

    private static @Nullable TransactionAttribute attribute(
            TransactionInterceptor interceptor, Method method, Class<?> targetClass) {
        TransactionAttributeSource source = interceptor.getTransactionAttributeSource();
        return source == null ? null : source.getTransactionAttribute(method, targetClass);
    }

    /** Whether a call begins a transaction where none is running. */
    static boolean begins(TransactionAttribute attribute) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRED,
                    TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                    TransactionDefinition.PROPAGATION_NESTED -> true;
            default -> false;
        };
    }

    /** Whether a call can never have a transaction. */
    static boolean excludes(TransactionAttribute attribute) {
        return attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NEVER
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
