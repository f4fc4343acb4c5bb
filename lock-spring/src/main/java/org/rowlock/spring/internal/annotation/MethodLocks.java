package org.rowlock.spring.internal.annotation;

import static java.util.Comparator.naturalOrder;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * All {@link RowLock} of one method. Immutable and thread-safe.
 *
 * @param method the method that has them, as the target class implements it
 * @param lockWait what they agree on; null for the configured default
 * @param beans for {@code @bean} in expressions
 */
public record MethodLocks(
        Method method,
        List<RowLockDefinition> definitions,
        @Nullable LockWait lockWait,
        BeanFactoryResolver beans) {
    static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** For messages. */
    public String what() {
        return "@RowLock on " + DefinitionReader.where(method);
    }

    /** What a call locks. Evaluates each expression, and iterates each argument, once. */
    public CallLocks of(@Nullable Object[] arguments) {
        List<@Nullable Object> given = Arrays.asList(arguments.clone());
        IdPart.Call call = new IdPart.Call(given, () -> {
            MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(null, method, arguments, NAMES);
            context.setBeanResolver(beans);
            return context;
        });
        List<List<@Nullable Object>> ids = new ArrayList<>(definitions.size());
        for (RowLockDefinition definition : definitions) {
            ids.add(definition.ids(call));
        }
        return of(given, ids);
    }

    /** What a call locks whose ids are known: a list for each definition. */
    public CallLocks of(List<@Nullable Object> arguments, List<? extends List<? extends @Nullable Object>> ids) {
        Map<LockKey, RowLockMode> keys = new LinkedHashMap<>();
        Set<LockKey> required = new HashSet<>();
        for (int i = 0; i < definitions.size(); i++) {
            RowLockDefinition definition = definitions.get(i);
            for (LockKey key : definition.keys(ids.get(i))) {
                if (definition.required()) {
                    required.add(key);
                }
                keys.merge(key, definition.mode(), BinaryOperator.minBy(naturalOrder()));
            }
        }
        return new CallLocks(this, arguments, ids, keys, required);
    }
}
