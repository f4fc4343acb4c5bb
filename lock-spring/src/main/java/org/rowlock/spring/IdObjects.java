package org.rowlock.spring;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * Id objects: a record or a JPA {@code @Embeddable} whose components, in the order of their declaration, are the parts of
 * the id. Other values are ids themselves.
 */
final class IdObjects {
    private static final String EMBEDDABLE = "jakarta.persistence.Embeddable";

    private IdObjects() {}

    /** The list of an id object's parts, or the value itself. */
    static @Nullable Object partsOrValue(@Nullable Object value) {
        if (value == null || !isIdObject(value.getClass())) {
            return value;
        }
        List<@Nullable Object> parts = new ArrayList<>();
        addParts(value, parts);
        return parts;
    }

    static boolean isIdObject(Class<?> type) {
        return type.isRecord() || MergedAnnotations.from(type).isPresent(EMBEDDABLE);
    }

    /** The names of an id object's components, those of nested ones in their place. */
    static List<String> partNames(Class<?> type) {
        List<String> names = new ArrayList<>();
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                addNames(component.getName(), component.getType(), names);
            }
        } else {
            for (Field field : fields(type)) {
                addNames(field.getName(), field.getType(), names);
            }
        }
        return names;
    }

    private static void addNames(String name, Class<?> type, List<String> names) {
        if (isIdObject(type)) {
            List<String> nested = partNames(type);
            // A typed id of one value is stored under the name of the component that has it.
            names.addAll(nested.size() == 1 ? List.of(name) : nested);
        } else {
            names.add(name);
        }
    }

    private static void addParts(@Nullable Object value, List<@Nullable Object> parts) {
        if (value == null || !isIdObject(value.getClass())) {
            parts.add(value);
            return;
        }
        if (value instanceof Record record) {
            for (RecordComponent component : record.getClass().getRecordComponents()) {
                addParts(read(component, record), parts);
            }
        } else {
            for (Field field : fields(value.getClass())) {
                ReflectionUtils.makeAccessible(field);
                addParts(ReflectionUtils.getField(field, value), parts);
            }
        }
    }

    private static List<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers())
                        && !Modifier.isTransient(field.getModifiers())
                        && !field.isSynthetic())
                .toList();
    }

    private static @Nullable Object read(RecordComponent component, Record record) {
        try {
            ReflectionUtils.makeAccessible(component.getAccessor());
            return component.getAccessor().invoke(record);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(
                    "The component " + component.getName() + " of "
                            + record.getClass().getName()
                            + " cannot be read; make the record public, or open its package",
                    e);
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowRuntimeException(e.getTargetException());
            throw new IllegalStateException(e);
        }
    }
}
