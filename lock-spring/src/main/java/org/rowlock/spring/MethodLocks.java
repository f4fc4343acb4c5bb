package org.rowlock.spring;

import static java.util.Comparator.naturalOrder;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * All {@link RowLock} of one method. Immutable and thread-safe.
 *
 * @param method the method that has them, as the target class implements it
 * @param lockWait what they agree on; null for the configured default
 * @param dataSource the name of the bean they agree on; empty for the default
 * @param beans for {@code @bean} in expressions
 */
record MethodLocks(
        Method method,
        List<RowLockDefinition> definitions,
        @Nullable LockWait lockWait,
        String dataSource,
        BeanFactoryResolver beans) {
    static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** The keys of a call with the strongest mode that each is asked for in. */
    Map<LockKey, RowLockMode> keys(@Nullable Object[] arguments) {
        IdSource.Call call = call(arguments);
        Map<LockKey, RowLockMode> keys = new LinkedHashMap<>();
        for (RowLockDefinition definition : definitions) {
            for (LockKey key : definition.keys(call)) {
                keys.merge(key, definition.mode(), BinaryOperator.minBy(naturalOrder()));
            }
        }
        return keys;
    }

    IdSource.Call call(@Nullable Object[] arguments) {
        return new IdSource.Call(arguments, () -> {
            MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(null, method, arguments, NAMES);
            context.setBeanResolver(beans);
            return context;
        });
    }
}
