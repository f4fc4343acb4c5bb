package org.rowlock.spring.internal.call;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
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
 * @param repositoryManager the transaction manager that the repository's configuration names; empty for other beans
 */
public record TransactionDeclarations(List<TransactionInterceptor> interceptors, String repositoryManager) {
    public static final TransactionDeclarations NONE = new TransactionDeclarations(List.of(), "");

    /**
     * The transaction manager of a method, in Spring's order.
     *
     * @param qualifier as the transaction names it; empty if it does not
     * @param typeQualifier the {@code @Qualifier} of the class, which counts if there is such a manager; empty for none
     * @param given that of the interceptor, where nothing is named; null for the default
     */
    public record Manager(
            String qualifier,
            String typeQualifier,
            @Nullable TransactionManager given) {
        static final Manager DEFAULT = new Manager("", "", null);
    }

    /** What the innermost of them declares, which is the transaction that the method runs in; null if none does. */
    @Nullable
    public TransactionAttribute of(Method method, Class<?> targetClass) {
        TransactionInterceptor innermost = innermost(method, targetClass);
        return innermost == null ? null : attribute(innermost, method, targetClass);
    }

    /** The manager that begins it. */
    public Manager managerOf(Method method, Class<?> targetClass) {
        TransactionInterceptor innermost = innermost(method, targetClass);
        TransactionAttribute attribute = of(method, targetClass);
        if (innermost == null || attribute == null) {
            return Manager.DEFAULT;
        }
        String qualifier = attribute.getQualifier();
        String ofType = BeanFactoryAnnotationUtils.getQualifierValue(targetClass);
        return StringUtils.hasText(qualifier)
                ? new Manager(qualifier, "", null)
                : new Manager(repositoryManager, ofType == null ? "" : ofType, innermost.getTransactionManager());
    }

    private @Nullable TransactionInterceptor innermost(Method method, Class<?> targetClass) {
        TransactionInterceptor innermost = null;
        for (TransactionInterceptor each : interceptors) {
            innermost = attribute(each, method, targetClass) == null ? innermost : each;
        }
        return innermost;
    }

    private static @Nullable TransactionAttribute attribute(
            TransactionInterceptor interceptor, Method method, Class<?> targetClass) {
        TransactionAttributeSource source = interceptor.getTransactionAttributeSource();
        return source == null ? null : source.getTransactionAttribute(method, targetClass);
    }

    /** Whether a call begins a transaction where none is running. */
    public static boolean begins(TransactionAttribute attribute) {
        return Set.of(
                        TransactionDefinition.PROPAGATION_REQUIRED,
                        TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                        TransactionDefinition.PROPAGATION_NESTED)
                .contains(attribute.getPropagationBehavior());
    }

    /** Whether a call can never have a transaction. */
    public static boolean excludes(TransactionAttribute attribute) {
        return attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NEVER
                || attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }
}
