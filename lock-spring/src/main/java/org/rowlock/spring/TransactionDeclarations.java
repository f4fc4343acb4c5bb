package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * The transactions that the interceptors of one proxy declare for its methods.
 *
 * @param sources of its transaction interceptors; none if it has none
 */
record TransactionDeclarations(List<TransactionAttributeSource> sources) {

    @Nullable
    TransactionAttribute of(Method method, Class<?> targetClass) {
        for (TransactionAttributeSource source : sources) {
            TransactionAttribute attribute = source.getTransactionAttribute(method, targetClass);
            if (attribute != null) {
                return attribute;
            }
        }
        return null;
    }

    /** The transaction manager that the method names; empty for the default. */
    String qualifierOf(Method method, Class<?> targetClass) {
        TransactionAttribute attribute = of(method, targetClass);
        String qualifier = attribute == null ? null : attribute.getQualifier();
        return qualifier == null ? "" : qualifier;
    }

    /** Whether a call begins a transaction where none is running. */
    static boolean begins(@Nullable TransactionAttribute attribute) {
        return attribute != null
                && switch (attribute.getPropagationBehavior()) {
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
