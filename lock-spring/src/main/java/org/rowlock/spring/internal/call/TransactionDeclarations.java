package org.rowlock.spring.internal.call;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.MethodClassKey;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** The transactions that the interceptors of one proxy begin for its methods. Thread-safe. */
public final class TransactionDeclarations {
    private final List<TransactionInterceptor> interceptors;

    /** The managers of methods without a qualifier. Spring reads the annotations of the class in each call. */
    private final Map<MethodClassKey, TransactionManager> managers = new ConcurrentHashMap<>();

    /** @param interceptors the transaction interceptors of the proxy, the outermost first; empty if there are none */
    public TransactionDeclarations(List<TransactionInterceptor> interceptors) {
        this.interceptors = interceptors;
    }

    /**
     * Returns the protected method by which Spring chooses a manager. Spring's public methods do not find every
     * manager, for example the manager that the configuration of a repository names. A native image without locking
     * beans does not contain the method.
     */
    public static Method determineManager() {
        Method protectedOne = ReflectionUtils.findMethod(
                TransactionAspectSupport.class, "determineTransactionManager", TransactionAttribute.class, Class.class);
        ReflectionUtils.makeAccessible(Objects.requireNonNull(protectedOne));
        return protectedOne;
    }

    /**
     * Returns the attributes of the transaction in which a method runs, as declared for the innermost interceptor.
     * Returns null if no transaction is declared.
     */
    @Nullable
    public TransactionAttribute of(Method method, Class<?> targetClass) {
        TransactionInterceptor innermost = innermost(method, targetClass);
        return innermost == null ? null : attribute(innermost, method, targetClass);
    }

    /** Returns the manager that begins the transaction; null for the default manager, or if there is no transaction. */
    @Nullable
    public TransactionManager managerOf(Method method, Class<?> targetClass) {
        TransactionInterceptor innermost = innermost(method, targetClass);
        TransactionAttribute attribute = innermost == null ? null : attribute(innermost, method, targetClass);
        if (innermost == null || attribute == null) {
            return null;
        }
        // A qualifier, or a subclass of the interceptor, may choose another manager for the next call.
        boolean isQualified = StringUtils.hasText(attribute.getQualifier());
        boolean isConstant = !isQualified && innermost.getClass() == TransactionInterceptor.class;
        MethodClassKey key = new MethodClassKey(method, targetClass);
        TransactionManager known = isConstant ? managers.get(key) : null;
        if (known != null) {
            return known;
        }
        try {
            known = (TransactionManager)
                    ReflectionUtils.invokeMethod(determineManager(), innermost, attribute, targetClass);
            if (isConstant && known != null) {
                managers.put(key, known);
            }
            return known;
        } catch (NoSuchBeanDefinitionException e) {
            if (isQualified) {
                throw e;
            }
            return null;
        }
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

    /** Whether a call begins a transaction if none is running. */
    public static boolean begins(TransactionAttribute attribute) {
        return switch (attribute.getPropagationBehavior()) {
            case TransactionDefinition.PROPAGATION_REQUIRED,
                    TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                    TransactionDefinition.PROPAGATION_NESTED -> true;
            default -> false;
        };
    }
}
