package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ExpressionException;

/**
 * One {@link RowLock} annotation, after it was read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table the table, looked up on first use, because an entity's table is unknown until the entity manager factory
 *     exists
 * @param given the id, or each part of the id if the annotation names several parts
 * @param parts the names of the parts of the id in their order, each the name of a parameter, property or column, or
 *     empty; the list is empty if the number of parts is known only at a call
 * @param idText the id as the annotation writes it, for reports
 * @param required whether the row must exist
 */
public record RowLockDefinition(
        String where,
        Supplier<String> table,
        List<IdPart> given,
        Supplier<List<String>> parts,
        String idText,
        RowLockMode mode,
        boolean required) {

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
