package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.LockWait;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods.Lock;
import org.rowlock.spring.internal.annotation.RowLockDefinition.Source;
import org.rowlock.spring.internal.jpa.HibernateTables;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds and reads the {@link RowLock} annotations of methods, and rejects annotations that cannot work. Thread-safe.
 * Results are cached.
 */
public final class RowLockDefinitions {
    private final ConfigurableBeanFactory beans;
    private final HibernateTables entities;
    private final Map<MethodClassKey, Optional<MethodLocks>> found = new ConcurrentHashMap<>();
    private final Map<List<Class<?>>, List<Method>> locking = new ConcurrentHashMap<>();

    public RowLockDefinitions(ConfigurableBeanFactory beans) {
        this.beans = beans;
        this.entities = new HibernateTables(beans);
    }

    /** Returns the locks of a method, which may be a method of an interface; null if the method locks nothing. */
    @Nullable
    public MethodLocks of(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<MethodLocks> known = found.get(key);
        return (known != null ? known : found.computeIfAbsent(key, same -> find(method, targetClass))).orElse(null);
    }

    private Optional<MethodLocks> find(Method method, Class<?> targetClass) {
        return Optional.ofNullable(LockingMethods.find(method, targetClass)).map(this::read);
    }

    /** Returns the locking methods of a bean. The class of the bean may be the class of a proxy for the target. */
    public List<Method> lockingMethods(Class<?> target, Class<?> beanClass) {
        return locking.computeIfAbsent(List.of(target, beanClass), classes -> {
            LockingMethods.checkConstructors(ClassUtils.getUserClass(target));
            return LockingMethods.of(target, beanClass, (method, targetClass) -> {
                LockingMethods.checkConstructors(method.getParameterTypes());
                return of(method, targetClass) != null;
            });
        });
    }

    private MethodLocks read(LockingMethods.Found found) {
        String where = LockingMethods.where(found.method());
        List<RowLockDefinition> definitions = found.locks().stream()
                .map(each -> each.parameter() == null
                        ? ofMethod(found.method(), where, each.annotation())
                        : ofParameter(found.method(), where, each.annotation(), each.parameter()))
                .toList();
        return new MethodLocks(
                "@RowLock on " + where,
                found.method(),
                definitions,
                lockWait(where, found.locks()),
                new BeanFactoryResolver(beans));
    }

    private RowLockDefinition ofMethod(Method method, String where, MergedAnnotation<RowLock> lock) {
        String[] expressions = lock.getStringArray("id");
        if (expressions.length == 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " does not say which row.",
                    "Give id = \"#parameter\", or put the annotation on the parameter that is the id.");
        }
        List<Source> given = Arrays.stream(expressions)
                .map(text -> IdExpression.read(method, where, text))
                .toList();
        return definition(method, where, lock, given, "id " + String.join(", ", expressions));
    }

    private RowLockDefinition ofParameter(
            Method method, String where, MergedAnnotation<RowLock> lock, MethodParameter parameter) {
        int index = parameter.getParameterIndex();
        parameter.initParameterNameDiscovery(MethodLocks.NAMES);
        String name = Objects.requireNonNullElse(parameter.getParameterName(), "number " + (index + 1));
        if (lock.getStringArray("id").length > 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on parameter " + name + " of " + where + " has an id, but the argument is the id.",
                    "Remove the id, or put the annotation on the method.");
        }
        Source whole = (arguments, variables) -> arguments[index];
        return definition(method, where, lock, List.of(whole), "parameter " + name);
    }

    private RowLockDefinition definition(
            Method method, String where, MergedAnnotation<RowLock> lock, List<Source> given, String idText) {
        // A method that returns an Optional allows an absent row.
        boolean required = lock.getBoolean("required") && method.getReturnType() != Optional.class;
        RowLockMode mode = lock.getEnum("mode", RowLockMode.class);
        return new RowLockDefinition(where, table(where, lock), given, idText, mode, required);
    }

    private Supplier<String> table(String where, MergedAnnotation<RowLock> lock) {
        Class<?> entity = lock.getClass("entity");
        String table = String.valueOf(beans.resolveEmbeddedValue(lock.getString("table")));
        boolean named = !table.isBlank();
        if (named == (entity != void.class)) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names "
                            + (named ? "a table and an entity." : "neither a table nor an entity."),
                    "Give one of them: @RowLock(\"orders\") or @RowLock(entity = Order.class).");
        }
        if (!named) {
            return SingletonSupplier.of(() -> entities.tableOf(where, entity));
        }
        try {
            String normal = LockKey.row(table, 0).table();
            return SingletonSupplier.of(() -> entities.checked("@RowLock on " + where, normal));
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names a table whose name is malformed: " + e.getMessage() + ".",
                    "Write the name as in SQL: orders, shop.orders, or with quotes where SQL needs them.");
        }
    }

    /**
     * Returns the wait that the annotations set; null if no annotation sets a wait. All annotations that set a wait
     * must set the same wait.
     */
    private @Nullable LockWait lockWait(String where, List<Lock> locks) {
        List<String> given = locks.stream()
                .map(lock -> String.valueOf(
                        beans.resolveEmbeddedValue(lock.annotation().getString("lockWait"))))
                .filter(text -> !text.isBlank())
                .distinct()
                .toList();
        if (given.size() > 1) {
            throw new RowLockDefinitionException(
                    "The @RowLock annotations of " + where + " lock together, but differ in lockWait: "
                            + String.join(", ", given) + ".",
                    "Give all of them the same wait, or only one of them a wait.");
        }
        try {
            return given.isEmpty() ? null : LockWaits.parse(given.get(0));
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + ": lockWait = " + e.getMessage() + ".", "Use one of these forms.");
        }
    }
}
