package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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

    /** The keys of a call by mode, the strongest mode first, in one order for all callers. */
    Map<RowLockMode, List<LockKey>> keys(@Nullable Object[] arguments) {
        IdSource.Call call = call(arguments);
        Map<RowLockMode, List<LockKey>> keys = new EnumMap<>(RowLockMode.class);
        for (RowLockDefinition definition : definitions) {
            List<LockKey> found = definition.keys(call);
            if (!found.isEmpty()) {
                keys.computeIfAbsent(definition.mode(), mode -> new ArrayList<>())
                        .addAll(found);
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
