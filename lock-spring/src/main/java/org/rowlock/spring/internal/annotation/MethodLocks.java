package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockWait;
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
        return new CallLocks(
                this,
                given,
                definitions.stream().map(definition -> definition.keys(call)).toList());
    }
}
