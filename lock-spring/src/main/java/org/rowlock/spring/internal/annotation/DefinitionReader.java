package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.internal.annotation.LockingMethods.Lock;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.function.SingletonSupplier;

/** Turns annotations into definitions and refuses those that cannot work. Thread-safe. */
public final class DefinitionReader {
    private final ConfigurableBeanFactory beans;
    private final EntityTables entities;

    public DefinitionReader(ConfigurableBeanFactory beans, EntityTables entities) {
        this.beans = beans;
        this.entities = entities;
    }

    MethodLocks read(LockingMethods.Found found) {
        String where = where(found.method());
        List<RowLockDefinition> definitions = found.locks().stream()
                .map(each -> each.parameter() == null
                        ? ofMethod(found.method(), where, each.annotation())
                        : ofParameter(found.method(), where, each.annotation(), each.parameter()))
                .toList();
        return new MethodLocks(
                found.method(), definitions, lockWait(where, found.locks()), new BeanFactoryResolver(beans));
    }

    private RowLockDefinition ofMethod(Method method, String where, MergedAnnotation<RowLock> lock) {
        String[] expressions = lock.getStringArray("id");
        if (expressions.length == 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " does not say which row.",
                    "Give id = \"#parameter\", or put the annotation on the parameter that is the id.");
        }
        List<IdPart> parts = Arrays.stream(expressions)
                .map(text -> IdExpression.read(method, where, text))
                .toList();
        return definition(method, where, lock, parts, "id " + String.join(", ", expressions));
    }

    private RowLockDefinition ofParameter(
            Method method, String where, MergedAnnotation<RowLock> lock, MethodParameter parameter) {
        int index = parameter.getParameterIndex();
        parameter.initParameterNameDiscovery(MethodLocks.NAMES);
        String name = Objects.requireNonNullElse(parameter.getParameterName(), "number " + (index + 1));
        if (lock.getStringArray("id").length > 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on parameter " + name + " of " + where + " has an id, but the argument is the id.",
                    "Leave the id out, or put the annotation on the method.");
        }
        IdPart whole = IdPart.argument(index, ResolvableType.forMethodParameter(parameter), "");
        return definition(method, where, lock, List.of(whole), "parameter " + name);
    }

    private RowLockDefinition definition(
            Method method, String where, MergedAnnotation<RowLock> lock, List<IdPart> parts, String idText) {
        // The type of the one expression or parameter that the id is.
        Class<?> whole = parts.size() == 1 ? parts.get(0).type() : Object.class;
        Supplier<String> table = table(where, lock);
        return new RowLockDefinition(
                where,
                table,
                parts,
                () -> IdObjects.isIdObject(whole)
                        ? IdObjects.partNames(whole, entities.idColumns(table.get(), whole))
                        : parts.size() > 1 || BeanUtils.isSimpleValueType(whole)
                                ? columns(parts, entities.idColumns(table.get(), Object.class))
                                : List.of(),
                idText,
                lock.getEnum("mode", RowLockMode.class),
                // Not by a method that says that there may be no row.
                lock.getBoolean("required") && method.getReturnType() != Optional.class);
    }

    /** The names of parts, each as the column that an entity maps it to, unless it is the name of one. */
    private static List<String> columns(List<IdPart> parts, Map<String, String> mapped) {
        return parts.stream()
                .map(IdPart::name)
                .map(name -> mapped.containsValue(name) ? name : mapped.getOrDefault(name, name))
                .toList();
    }

    private Supplier<String> table(String where, MergedAnnotation<RowLock> lock) {
        Class<?> entity = lock.getClass("entity");
        String table = String.valueOf(beans.resolveEmbeddedValue(lock.getString("table")));
        boolean named = !table.isBlank();
        if (named == (entity != void.class)) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names "
                            + (named ? "a table and an entity." : "neither table nor entity."),
                    "Give one of them: @RowLock(\"orders\") or @RowLock(entity = Order.class).");
        }
        if (!named) {
            return SingletonSupplier.of(() -> entities.tableOf(where, entity));
        }
        try {
            String normal = LockKey.row(table, 0).table();
            return SingletonSupplier.of(() -> entities.root("@RowLock on " + where, normal));
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names a table that is no SQL name: " + e.getMessage() + ".",
                    "Write it as in SQL: orders, shop.orders, or with quotes where SQL needs them.");
        }
    }

    /** What all of them agree on; null if none says. */
    private @Nullable LockWait lockWait(String where, List<Lock> locks) {
        List<String> given = locks.stream()
                .map(lock -> String.valueOf(
                        beans.resolveEmbeddedValue(lock.annotation().getString("lockWait"))))
                .filter(text -> !text.isBlank())
                .distinct()
                .toList();
        if (given.size() > 1) {
            throw new RowLockDefinitionException(
                    "The @RowLock of " + where + " are taken together, but differ in lockWait: "
                            + String.join(", ", given) + ".",
                    "Give all of them the same, or only one.");
        }
        try {
            return given.isEmpty() ? null : LockWaits.parse(given.get(0));
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + ": lockWait = " + e.getMessage() + ".", "Nothing else is understood.");
        }
    }

    public static String where(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "("
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "))
                + ")";
    }
}
