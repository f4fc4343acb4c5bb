package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ExpressionException;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * One {@link RowLock} annotation, after it was read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table the table, looked up on first use, because an entity's table is unknown until the entity manager factory
 *     exists
 * @param given the id, or each part of the id if the annotation names several parts
 * @param idText the id as the annotation writes it, for reports
 * @param required whether the row must exist
 */
public record RowLockDefinition(
        String where, Supplier<String> table, List<Source> given, String idText, RowLockMode mode, boolean required) {

    /** Evaluates an argument or an expression to an id, several ids, or a part of an id. */
    interface Source {
        /** Returns the value. Only an expression needs the variables. */
        @Nullable
        Object of(@Nullable Object[] arguments, Supplier<EvaluationContext> variables);
    }

    List<LockKey> keys(@Nullable Object[] arguments, Supplier<EvaluationContext> variables) {
        try {
            List<LockKey> keys = new ArrayList<>();
            for (Object id : ids(arguments, variables)) {
                keys.add(key(id));
            }
            return keys;
        } catch (ExpressionException | IllegalArgumentException e) {
            throw new IllegalArgumentException("@RowLock on " + where + ", " + idText + ": " + e.getMessage(), e);
        }
    }

    private Iterable<? extends @Nullable Object> ids(
            @Nullable Object[] arguments, Supplier<EvaluationContext> variables) {
        if (given.size() == 1) {
            return each(given.get(0).of(arguments, variables));
        }
        List<@Nullable Object> values = new ArrayList<>(given.size());
        given.forEach(part -> values.add(part.of(arguments, variables)));
        return List.of(values);
    }

    /** Iterates over a single value or the elements of a collection or array. An array of bytes is a single value. */
    private static Iterable<? extends @Nullable Object> each(@Nullable Object value) {
        if (value instanceof Iterable<?> several && isSeveral(value.getClass())) {
            return several;
        }
        if (ObjectUtils.isArray(value) && !(value instanceof byte[])) {
            return Arrays.asList(ObjectUtils.toObjectArray(value));
        }
        return Collections.singletonList(value);
    }

    /** Whether the elements of a value are ids. A file path or a JSON node is Iterable too, but is a single value. */
    private static boolean isSeveral(Class<?> type) {
        Class<?> element =
                ResolvableType.forClass(type).as(Iterable.class).getGeneric().resolve(Object.class);
        return !(Iterable.class.isAssignableFrom(element) && element.isAssignableFrom(type));
    }

    // A part may be null here, because lock-core rejects a null part with a good message.
    @SuppressWarnings("NullAway")
    private LockKey key(@Nullable Object id) {
        if (id == null) {
            throw new IllegalArgumentException("the id for table " + table.get()
                    + " is null, so there is no row to lock. Call the method with an id. If there may be no id, use an"
                    + " expression that then returns an empty list, such as id = \"#id == null ? {} : {#id}\".");
        }
        Object value = id instanceof List<?> several
                ? several.stream().map(RowLockDefinition::value).toList()
                : value(id);
        return LockKey.row(table.get(), value);
    }

    /**
     * Returns the component of a record that has a single component, such as a typed id. Returns other values
     * unchanged.
     */
    private static @Nullable Object value(@Nullable Object id) {
        RecordComponent[] components = id == null ? null : id.getClass().getRecordComponents();
        if (components == null || components.length != 1) {
            return id;
        }
        Method component = components[0].getAccessor();
        ReflectionUtils.makeAccessible(component);
        return value(ReflectionUtils.invokeMethod(component, id));
    }
}
