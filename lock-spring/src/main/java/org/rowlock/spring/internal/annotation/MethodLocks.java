package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.RowLock;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;

/**
 * All {@link RowLock} annotations of one method. Immutable and thread-safe.
 *
 * @param what the description for messages, such as {@code @RowLock on OrderService.ship(long)}
 * @param method the annotated method, as declared in the target class, or else in an interface
 * @param lockWait the wait that the annotations set; null for the configured default
 * @param beans resolves {@code @bean} in expressions
 */
public record MethodLocks(
        String what,
        Method method,
        List<RowLockDefinition> definitions,
        @Nullable LockWait lockWait,
        BeanFactoryResolver beans) {
    static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** Returns the locks of a call. Each expression is evaluated once, and each argument is iterated over once. */
    public Call of(@Nullable Object[] arguments) {
        Supplier<EvaluationContext> variables = () -> {
            MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(null, method, arguments, NAMES);
            context.setBeanResolver(beans);
            return context;
        };
        List<List<LockKey>> keys = new ArrayList<>(definitions.size());
        for (RowLockDefinition each : definitions) {
            keys.add(each.keys(arguments, variables));
        }
        return new Call(this, keys);
    }

    /**
     * The evaluated locks of one call.
     *
     * @param keys one list of keys for each annotation of the method
     */
    public record Call(MethodLocks method, List<List<LockKey>> keys) {

        public @Nullable RequestParts request() {
            RequestParts all = null;
            for (int i = 0; i < keys.size(); i++) {
                if (!keys.get(i).isEmpty()) {
                    RequestParts one =
                            RequestParts.of(method.definitions().get(i).mode(), keys.get(i));
                    all = all == null ? one : all.and(one);
                }
            }
            return all;
        }

        public Set<LockKey> required() {
            Set<LockKey> required = new HashSet<>();
            for (int i = 0; i < keys.size(); i++) {
                if (method.definitions().get(i).required()) {
                    required.addAll(keys.get(i));
                }
            }
            return required;
        }

        /**
         * Returns this call, with the keys of an earlier evaluation in place of missing keys. A second evaluation finds
         * no keys if the ids are a one-pass Iterable, which the first evaluation has consumed.
         */
        public Call orKeysOf(Call earlier) {
            List<List<LockKey>> both = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                both.add(keys.get(i).isEmpty() ? earlier.keys.get(i) : keys.get(i));
            }
            return new Call(method, both);
        }
    }
}
