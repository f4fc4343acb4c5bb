package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.util.ObjectUtils;

/** Where the ids of a call come from. Immutable and thread-safe. */
sealed interface IdSource {

    /** The value as the caller has it: an id, an id object, or several of them. */
    @Nullable
    Object value(Call call);

    /** The ids of a call as the caller has them, each an id or an id object. An {@link Iterable} is iterated once. */
    default List<@Nullable Object> ids(Call call) {
        List<@Nullable Object> ids = new ArrayList<>();
        for (Object each : each(value(call))) {
            ids.add(each);
        }
        return ids;
    }

    /** One or several; the bytes of an array of bytes are one. */
    static Iterable<? extends @Nullable Object> each(@Nullable Object value) {
        if (value instanceof Iterable<?> several && isSeveral(value.getClass())) {
            return several;
        }
        if (ObjectUtils.isArray(value) && !(value instanceof byte[])) {
            return Arrays.asList(ObjectUtils.toObjectArray(value));
        }
        return Collections.singletonList(value);
    }

    /** Whether its elements are ids. One value may iterate over its own parts, as a file name or a node of JSON. */
    static boolean isSeveral(Class<?> type) {
        Class<?> element =
                ResolvableType.forClass(type).as(Iterable.class).getGeneric().resolve(Object.class);
        return Iterable.class.isAssignableFrom(type)
                && !(Iterable.class.isAssignableFrom(element) && element.isAssignableFrom(type));
    }

    /** One call of the method. */
    final class Call {
        private final @Nullable Object[] arguments;
        private final Supplier<EvaluationContext> variables;

        /**
         * @param arguments its arguments
         * @param variables what expressions see; made only if there is one
         */
        Call(@Nullable Object[] arguments, Supplier<EvaluationContext> variables) {
            this.arguments = arguments;
            this.variables = variables;
        }

        /** Says which arguments are null, as a sentence to append; empty if none is. */
        String nulls() {
            List<Integer> positions = IntStream.range(0, arguments.length)
                    .filter(position -> arguments[position] == null)
                    .mapToObj(position -> position + 1)
                    .toList();
            return positions.isEmpty() ? "" : ". Null is what was given for parameter " + positions;
        }
    }

    /** The argument of a parameter. */
    record Argument(int index) implements IdSource {
        @Override
        public @Nullable Object value(Call call) {
            return call.arguments[index];
        }
    }

    /** An expression over the arguments. */
    record Spel(Expression expression) implements IdSource {
        @Override
        public @Nullable Object value(Call call) {
            return expression.getValue(call.variables.get());
        }
    }

    /** A composite id, a source for each part. */
    record Composite(List<IdSource> parts) implements IdSource {
        @Override
        public List<@Nullable Object> value(Call call) {
            List<@Nullable Object> values = new ArrayList<>(parts.size());
            for (IdSource part : parts) {
                values.add(part.value(call));
            }
            return values;
        }

        @Override
        public List<@Nullable Object> ids(Call call) {
            return List.of(value(call));
        }
    }
}
