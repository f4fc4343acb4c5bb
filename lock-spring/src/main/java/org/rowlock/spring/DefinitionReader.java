package org.rowlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        definitions.addAll(ofParameters(where, onParameters));
        List<MergedAnnotation<RowLock>> all = new ArrayList<>(onMethod);
        onParameters.forEach(parameter -> all.add(parameter.lock()));
        return new MethodLocks(
                method,
                List.copyOf(definitions),
                lockWait(where, agreed(where, "lockWait", all)),
                agreed(where, "dataSource", all),
                new BeanFactoryResolver(beans));
    }

    private RowLockDefinition ofMethod(Method method, String where, MergedAnnotation<RowLock> lock) {
        String[] expressions = lock.getStringArray("id");
        if (expressions.length == 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " does not say which row.",
                    "Give id = \"#parameter\", or put the annotation on the parameter that is the id.");
        }
        if (lock.getInt("part") != 0) {
            throw new RowLockDefinitionException(
                    "@RowLock on " + where + " has a part, which only one on a parameter can have.",
                    "Give an expression per part instead: id = {\"#first\", \"#second\"}.");
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
        return definition(where, lock, id, idType, partTypes, names, "id " + String.join(", ", expressions));
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

    private List<RowLockDefinition> ofParameters(String where, List<ParameterLock> onParameters) {
        List<RowLockDefinition> definitions = new ArrayList<>();
        Map<List<Object>, List<ParameterLock>> composites = new LinkedHashMap<>();
        for (ParameterLock each : onParameters) {
            MergedAnnotation<RowLock> lock = each.lock();
            if (lock.getStringArray("id").length > 0) {
                throw new RowLockDefinitionException(
                        "@RowLock on parameter " + name(each) + " of " + where
                                + " has an id, but the argument is the id.",
                        "Leave the id out, or put the annotation on the method.");
            }
            if (lock.getInt("part") != 0) {
                composites
                        .computeIfAbsent(target(lock), target -> new ArrayList<>())
                        .add(each);
            } else {
                IdSource id = new IdSource.Argument(each.parameter().getParameterIndex());
                Class<?> type = idType(each.parameter());
                List<Optional<Class<?>>> types = List.of(Optional.ofNullable(type));
                definitions.add(definition(where, lock, id, type, types, List.of(), "parameter " + name(each)));
            }
        }
        composites.values().forEach(parts -> definitions.add(composite(where, parts)));
        return definitions;
    }

    private RowLockDefinition composite(String where, List<ParameterLock> parts) {
        List<ParameterLock> ordered = parts.stream()
                .sorted(Comparator.comparingInt(part -> part.lock().getInt("part")))
                .toList();
        for (int i = 0; i < ordered.size(); i++) {
            if (ordered.get(i).lock().getInt("part") != i + 1) {
                throw new RowLockDefinitionException(
                        "The parts of the id that @RowLock on the parameters of " + where + " name are "
                                + ordered.stream()
                                        .map(part -> String.valueOf(part.lock().getInt("part")))
                                        .collect(Collectors.joining(", "))
                                + ".",
                        "Number them 1, 2, ... in the order of the primary key, each once.");
            }
        }
        List<IdSource> sources = ordered.stream()
                .<IdSource>map(part -> new IdSource.Argument(part.parameter().getParameterIndex()))
                .toList();
        List<String> names = ordered.stream().map(DefinitionReader::name).toList();
        List<Optional<Class<?>>> types = ordered.stream()
                .<Optional<Class<?>>>map(part -> Optional.of(part.parameter().getParameterType()))
                .toList();
        return definition(
                where,
                ordered.get(0).lock(),
                new IdSource.Composite(sources),
                null,
                types,
                names,
                "parameters " + String.join(", ", names));
    }

    private RowLockDefinition definition(
            String where,
            MergedAnnotation<RowLock> lock,
            IdSource id,
            @Nullable Class<?> idType,
            List<Optional<Class<?>>> partTypes,
            List<String> names,
            String idText) {
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
                lock.getEnum("mode", RowLockMode.class));
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
            return () -> normal;
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

    private static List<Object> target(MergedAnnotation<RowLock> lock) {
        return List.of(lock.getString("table"), lock.getClass("entity"), lock.getEnum("mode", RowLockMode.class));
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
