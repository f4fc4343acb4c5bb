package org.rowlock.spring.internal.annotation;

import java.lang.reflect.Modifier;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ExpressionException;
import org.springframework.util.ClassUtils;

/**
 * One {@link RowLock} annotation, after it was read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table the table, looked up on first use, because an entity's table is unknown until the entity manager factory
 *     exists
 * @param given the id, or each part of the id if the annotation names several parts
 * @param parts the parts of the id in their order; empty if their number is known only at a call
 * @param idText the id as the annotation writes it, for reports
 * @param required whether the row must exist
 */
public record RowLockDefinition(
        String where,
        Supplier<String> table,
        List<IdPart> given,
        Supplier<List<Part>> parts,
        String idText,
        RowLockMode mode,
        boolean required) {

    /**
     * A part of an id.
     *
     * @param name the name of the parameter, property or column; empty if there is no name
     * @param type the declared type; Object if the declaration does not determine it
     */
    public record Part(String name, Class<?> type) {
        private static final Set<Class<?>> NO_IDS = Set.of(Boolean.class, Double.class, Float.class);

        private static final List<Object> SAMPLES = List.of(
                new UUID(0, 0), LocalDate.EPOCH, LocalTime.MIDNIGHT, LocalDate.EPOCH.atStartOfDay(), Instant.EPOCH);

        boolean canBeId() {
            Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
            return !NO_IDS.contains(boxed)
                    && (BeanUtils.isSimpleValueType(boxed)
                            || Modifier.isAbstract(boxed.getModifiers())
                            || boxed == Object.class);
        }

        /**
         * Returns a sample value of the type. Returns null if one value cannot show whether every value of the type
         * fits a column.
         */
        public @Nullable Object sample() {
            if (Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type))) {
                return 1;
            }
            Stream<?> samples = type.isEnum()
                    ? Stream.of(type.getEnumConstants())
                    : SAMPLES.stream().filter(each -> each.getClass() == type);
            return samples.findFirst().orElse(null);
        }
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
            return IdPart.each(given.get(0).source().of(arguments, variables));
        }
        List<@Nullable Object> values = new ArrayList<>(given.size());
        given.forEach(part -> values.add(part.source().of(arguments, variables)));
        return List.of(values);
    }

    // A part may be null here, because lock-core rejects a null part with a good message.
    @SuppressWarnings("NullAway")
    private LockKey key(@Nullable Object id) {
        if (id == null) {
            throw new IllegalArgumentException("the id for table " + table.get()
                    + " is null, so there is no row to lock. Call the method with an id. If there may be no id, use an"
                    + " expression that then returns an empty list, such as id = \"#id == null ? {} : {#id}\".");
        }
        return LockKey.row(table.get(), IdObjects.partsOrValue(id));
    }
}
