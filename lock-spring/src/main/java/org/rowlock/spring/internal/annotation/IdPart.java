package org.rowlock.spring.internal.annotation;

import java.util.Arrays;
import java.util.Collections;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ObjectUtils;

/**
 * The source of the ids of a call, or of one part of a composite id. Immutable and thread-safe.
 *
 * @param type the declared type of each id; Object if the declaration does not determine it
 * @param name the name of the parameter or property; empty if there is none
 */
record IdPart(Source source, Class<?> type, String name) {

    /** Evaluates an argument or an expression to an id, an id object, or several ids or id objects. */
    interface Source {
        /** Returns the value. The variables are created only if there is an expression to evaluate. */
        @Nullable
        Object of(@Nullable Object[] arguments, Supplier<EvaluationContext> variables);
    }

    static IdPart argument(int index, ResolvableType type, String name) {
        return new IdPart((arguments, variables) -> arguments[index], typeOf(type), name);
    }

    static Class<?> typeOf(ResolvableType type) {
        Class<?> plain = type.resolve(Object.class);
        ResolvableType each = type.isArray() && plain != byte[].class
                ? type.getComponentType()
                : isSeveral(plain) ? type.as(Iterable.class).getGeneric() : type;
        return each.resolve(Object.class);
    }

    /** Iterates over a single value or the elements of a collection or array. An array of bytes is a single value. */
    static Iterable<? extends @Nullable Object> each(@Nullable Object value) {
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
        return Iterable.class.isAssignableFrom(type)
                && !(Iterable.class.isAssignableFrom(element) && element.isAssignableFrom(type));
    }
}
