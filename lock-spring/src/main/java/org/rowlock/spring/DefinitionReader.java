package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLockDefinitions.ParameterLock;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.function.SingletonSupplier;

/** Turns annotations into definitions and refuses those that cannot work. Thread-safe. */
final class DefinitionReader {
    private final ConfigurableBeanFactory beans;
    private final EntityTables entities;

    DefinitionReader(ConfigurableBeanFactory beans, EntityTables entities) {
        this.beans = beans;
        this.entities = entities;
    }

    /**
     * Reads all of a method.
     *
     * @throws RowLockDefinitionException if one cannot work, or they contradict each other
     */
    MethodLocks read(Method method, List<MergedAnnotation<RowLock>> onMethod, List<ParameterLock> onParameters) {
        String where = where(method);
        List<RowLockDefinition> definitions = new ArrayList<>();
        for (MergedAnnotation<RowLock> lock : onMethod) {
            definitions.add(ofMethod(method, where, lock));
        }
        onParameters.forEach(each -> definitions.add(ofParameter(where, each)));
        List<MergedAnnotation<RowLock>> all = new ArrayList<>(onMethod);
        onParameters.forEach(parameter -> all.add(parameter.lock()));
        return new MethodLocks(
                method,
                List.copyOf(definitions),
                lockWait(where, agreed(where, "lockWait", all)),
                new BeanFactoryResolver(beans));
    }

    private RowLockDefinition ofMethod(Method method, String where, MergedAnnotation<RowLock> lock) {
        String[] expressions = lock.getStringArray("id");
        if (expressions.length == 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " does not say which row.",
                    "Give id = \"#parameter\", or put the annotation on the parameter that is the id.");
        }
        List<SpelExpression> parsed = Arrays.stream(expressions)
                .map(text -> IdExpressions.parse(method, where, text))
                .toList();
        List<IdSource> parts = parsed.stream().map(text -> source(method, text)).toList();
        IdSource id = parts.size() == 1 ? parts.get(0) : new IdSource.Composite(parts);
        List<Optional<Class<?>>> partTypes =
                parsed.stream().map(text -> typeOf(method, text)).toList();
        Class<?> idType =
                id instanceof IdSource.Argument argument ? idType(new MethodParameter(method, argument.index())) : null;
        List<String> names = parsed.stream().map(IdExpressions::name).toList();
        return definition(
                where,
                lock,
                id,
                idType,
                partTypes,
                names,
                "id " + String.join(", ", expressions),
                isRequired(method, lock));
    }

    /** The type of what an expression yields each, as far as the declarations show. */
    private static Optional<Class<?>> typeOf(Method method, SpelExpression expression) {
        int parameter = IdExpressions.parameter(method, expression);
        ResolvableType type = parameter < 0
                ? IdExpressions.type(method, expression)
                : ResolvableType.forMethodParameter(method, parameter);
        return type == null ? Optional.empty() : Optional.ofNullable(elementOf(type));
    }

    /** A parameter alone needs no evaluation. */
    private static IdSource source(Method method, SpelExpression expression) {
        int parameter = IdExpressions.parameter(method, expression);
        return parameter < 0 ? new IdSource.Spel(expression) : new IdSource.Argument(parameter);
    }

    /** The type of each id. */
    private static @Nullable Class<?> idType(MethodParameter parameter) {
        return elementOf(ResolvableType.forMethodParameter(parameter));
    }

    private static @Nullable Class<?> elementOf(ResolvableType type) {
        if (type.isArray() && type.resolve() != byte[].class) {
            return type.getComponentType().resolve();
        }
        Class<?> plain = type.resolve();
        return plain != null && IdSource.isSeveral(plain)
                ? type.as(Iterable.class).getGeneric().resolve()
                : plain;
    }

    private RowLockDefinition ofParameter(String where, ParameterLock each) {
        MergedAnnotation<RowLock> lock = each.lock();
        if (lock.getStringArray("id").length > 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on parameter " + name(each) + " of " + where + " has an id, but the argument is the id.",
                    "Leave the id out, or put the annotation on the method.");
        }
        IdSource id = new IdSource.Argument(each.parameter().getParameterIndex());
        Class<?> type = idType(each.parameter());
        List<Optional<Class<?>>> types = List.of(Optional.ofNullable(type));
        return definition(
                where,
                lock,
                id,
                type,
                types,
                List.of(),
                "parameter " + name(each),
                isRequired(each.parameter().getMethod(), lock));
    }

    /** Not by a method that says that there may be no row. */
    private static boolean isRequired(@Nullable Method method, MergedAnnotation<RowLock> lock) {
        return lock.getBoolean("required") && (method == null || method.getReturnType() != Optional.class);
    }

    private RowLockDefinition definition(
            String where,
            MergedAnnotation<RowLock> lock,
            IdSource id,
            @Nullable Class<?> idType,
            List<Optional<Class<?>>> partTypes,
            List<String> names,
            String idText,
            boolean required) {
        if (idType != null && !IdObjects.canBeId(idType)) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + ", " + idText + ": the type " + idType.getSimpleName()
                            + " is none that an id can have.",
                    "Give a number, a UUID, a string, an enum, a date or time, or a record or @Embeddable of those;"
                            + " of another class name the parts: id = {\"#id.first\", \"#id.second\"}.");
        }
        Supplier<String> table = table(where, lock, entityOrNull(lock));
        // The type of the one expression or parameter that the id is.
        Class<?> whole = partTypes.size() == 1 ? partTypes.get(0).orElse(Object.class) : Object.class;
        return new RowLockDefinition(
                where,
                table,
                id,
                idType,
                partTypes,
                () -> IdObjects.isIdObject(whole)
                        ? IdObjects.partNames(whole, entities.idColumns(table.get(), whole))
                        : names,
                idText,
                lock.getEnum("mode", RowLockMode.class),
                required);
    }

    private Supplier<String> table(String where, MergedAnnotation<RowLock> lock, @Nullable Class<?> entity) {
        String table = beans.resolveEmbeddedValue(lock.getString("table"));
        boolean named = table != null && !table.isBlank();
        if (named == (entity != null)) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names "
                            + (named ? "a table and an entity." : "neither table nor entity."),
                    "Give one of them: @RowLock(\"orders\") or @RowLock(entity = Order.class).");
        }
        if (entity != null) {
            entities.check(where, entity);
            return SingletonSupplier.of(() -> entities.tableOf(where, entity));
        }
        try {
            String normal = LockKey.row(String.valueOf(table), 0).table();
            return SingletonSupplier.of(() -> {
                entities.checkRoot("@RowLock on " + where, normal);
                return normal;
            });
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " names a table that is no SQL name: " + e.getMessage() + ".",
                    "Write it as in SQL: orders, shop.orders, or with quotes where SQL needs them.");
        }
    }

    private static @Nullable Class<?> entityOrNull(MergedAnnotation<RowLock> lock) {
        Class<?> entity = lock.getClass("entity");
        return entity == void.class ? null : entity;
    }

    private String agreed(String where, String attribute, List<MergedAnnotation<RowLock>> locks) {
        List<String> given = locks.stream()
                .map(lock -> String.valueOf(beans.resolveEmbeddedValue(lock.getString(attribute))))
                .filter(text -> !text.isBlank())
                .distinct()
                .toList();
        if (given.size() > 1) {
            throw new RowLockDefinitionException(
                    "The @RowLock of " + where + " are taken together, but differ in " + attribute + ": "
                            + String.join(", ", given) + ".",
                    "Give all of them the same, or only one.");
        }
        return given.isEmpty() ? "" : given.get(0);
    }

    private static @Nullable LockWait lockWait(String where, String text) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return LockWaits.parse(text);
        } catch (IllegalArgumentException e) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + ": lockWait = " + e.getMessage() + ".", "Nothing else is understood.");
        }
    }

    private static String name(ParameterLock each) {
        each.parameter().initParameterNameDiscovery(MethodLocks.NAMES);
        String name = each.parameter().getParameterName();
        return name != null ? name : "number " + (each.parameter().getParameterIndex() + 1);
    }

    static String where(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "("
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", "))
                + ")";
    }
}
