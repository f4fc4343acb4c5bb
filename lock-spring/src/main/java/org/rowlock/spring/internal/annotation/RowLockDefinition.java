package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.expression.ExpressionException;

/**
 * One {@link RowLock}, read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table looked up when first needed: that of an entity is known when the entity manager factory is there
 * @param given the id, or each of its parts where it is given in parts
 * @param partNames of the parameters, properties or columns that the parts of the id are, in their order, each empty if
 *     it has no name; no list of names where only a call shows how many parts there are
 * @param idText the ids as the annotation has them, for listings
 * @param required whether the row must exist
 */
public record RowLockDefinition(
        String where,
        Supplier<String> table,
        List<IdPart> given,
        Supplier<List<String>> partNames,
        String idText,
        RowLockMode mode,
        boolean required) {

    /** What a call locks. */
    List<LockKey> keys(IdPart.Call call) {
        try {
            List<LockKey> keys = new ArrayList<>();
            for (Object id : ids(call)) {
                keys.add(key(id));
            }
            return keys;
        } catch (ExpressionException | IllegalArgumentException e) {
            throw new IllegalArgumentException("@RowLock on " + where + ", " + idText + ": " + e.getMessage(), e);
        }
    }

    /** As the caller has them. */
    private Iterable<? extends @Nullable Object> ids(IdPart.Call call) {
        if (given.size() == 1) {
            return IdPart.each(given.get(0).value().apply(call));
        }
        List<@Nullable Object> parts = new ArrayList<>(given.size());
        given.forEach(part -> parts.add(part.value().apply(call)));
        return List.of(parts);
    }

    // A part that is null is for the core to refuse, with its message.
    @SuppressWarnings("NullAway")
    private LockKey key(@Nullable Object id) {
        if (id == null) {
            throw new IllegalArgumentException("the id for table " + table.get()
                    + " is null, so there is no row to lock. Call the method with an id; where there may be none,"
                    + " give an expression that is empty then, such as id = \"#id == null ? {} : {#id}\".");
        }
        return LockKey.row(table.get(), IdObjects.partsOrValue(id));
    }
}
