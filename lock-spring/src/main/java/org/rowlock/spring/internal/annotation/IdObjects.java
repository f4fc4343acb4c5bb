package org.rowlock.spring.internal.annotation;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Splits id objects into the parts of an id. An id object is a record, or a JPA {@code @Embeddable} or {@code
 * @IdClass}. The components of the object, in the order of their declaration, are the parts of the id. Any other value
 *     is an id of one part.
 */
final class IdObjects {
    private static final String ENTITY = "jakarta.persistence.Entity";
    private static final String EMBEDDABLE = "jakarta.persistence.Embeddable";
    private static final String JPA_COLUMN = "jakarta.persistence.Column";
    private static final String RELATIONAL_COLUMN = "org.springframework.data.relational.core.mapping.Column";

    private IdObjects() {}

    /** Returns the parts of an id object, or of a list of parts, as a list. Returns any other value itself. */
    static Object partsOrValue(Object value) {
        return value instanceof List || isIdObject(value.getClass())
                ? parts(value).toList()
                : value;
    }

    private static Stream<@Nullable Object> parts(@Nullable Object value) {
        if (value instanceof List<?> parts) {
            return parts.stream().flatMap(IdObjects::parts);
        }
        return value == null || !isIdObject(value.getClass())
                ? Stream.of(value)
                : fields(value.getClass()).stream().flatMap(field -> {
                    ReflectionUtils.makeAccessible(field);
                    return parts(ReflectionUtils.getField(field, value));
                });
    }

    static boolean isIdObject(Class<?> type) {
        return !type.getName().startsWith("java.")
                && (type.isRecord() || MergedAnnotations.from(type).isPresent(EMBEDDABLE) || canBeIdClass(type));
    }

    /** Whether the type can be an id class, on which JPA requires no annotation. */
    private static boolean canBeIdClass(Class<?> type) {
        Method equals = ReflectionUtils.findMethod(type, "equals", Object.class);
        return Serializable.class.isAssignableFrom(type)
                && !Modifier.isAbstract(type.getModifiers())
                && !Iterable.class.isAssignableFrom(type)
                && !Map.class.isAssignableFrom(type)
                && !BeanUtils.isSimpleValueType(type)
                && equals != null
                && equals.getDeclaringClass() != Object.class
                && !MergedAnnotations.from(type).isPresent(ENTITY)
                && !fields(type).isEmpty();
    }

    /**
     * Returns the names of the parts of an id. An object has a part for each component, named like the component or
     * like the column in its annotations. A nested object is replaced by its own parts. Any other value is one part.
     *
     * @param name the name of the value
     * @param mapped the column of each component, if the mapping of the entity is known
     */
    static Stream<String> partsOf(String name, Class<?> type, Map<String, String> mapped) {
        String column = mapped.containsValue(name) ? name : mapped.getOrDefault(name, name);
        if (!isIdObject(type)) {
            return Stream.of(column);
        }
        List<String> parts = fields(type).stream()
                // A component of the same type as the object is not split, because that would never end.
                .flatMap(field -> field.getType() == type
                        ? Stream.of(field.getName())
                        : partsOf(mapped.getOrDefault(field.getName(), column(field)), field.getType(), Map.of()))
                .toList();
        // If an id object has a single part, the part has the name of the object itself.
        return parts.size() == 1 ? Stream.of(column) : parts.stream();
    }

    private static String column(Field field) {
        MergedAnnotations annotations = MergedAnnotations.from(field);
        return Stream.of(
                        annotations.get(JPA_COLUMN).getValue("name", String.class),
                        annotations.get(RELATIONAL_COLUMN).getValue("value", String.class))
                .flatMap(Optional::stream)
                .filter(StringUtils::hasText)
                .findFirst()
                .orElse(field.getName());
    }

    /** Returns the fields of a type in the order of their declaration. For a record, these are its components. */
    private static List<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers())
                        && !Modifier.isTransient(field.getModifiers())
                        && !field.isSynthetic())
                .toList();
    }
}
