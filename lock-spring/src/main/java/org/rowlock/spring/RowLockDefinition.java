package org.rowlock.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;

/**
 * One {@link RowLock}, read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table looked up when first needed: that of an entity is known when the entity manager factory is there
 * @param entity the entity; null if the table was given by name
 * @param idType the type of the ids as far as the declaration tells; null where only a call does
 * @param idText the ids as the annotation has them, for listings
 */
record RowLockDefinition(
        String where,
        Supplier<String> table,
        @Nullable Class<?> entity,
        IdSource id,
        @Nullable Class<?> idType,
        String idText,
        RowLockMode mode,
        boolean refresh) {

    /** The keys of a call. */
    List<LockKey> keys(IdSource.Call call) {
        List<LockKey> keys = new ArrayList<>(1);
        for (Object each : id.ids(call)) {
            try {
                keys.add(key(each));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("@RowLock on " + where + ", " + idText + ": " + e.getMessage(), e);
            }
        }
        return keys;
    }

    // Null is for the core to refuse, with its message.
    @SuppressWarnings("NullAway")
    private LockKey key(@Nullable Object each) {
        return LockKey.row(table.get(), each);
    }

    /** The ids of a call as the caller has them, for the entities of those ids. */
    List<?> entityIds(IdSource.Call call) {
        Object value = id.value(call);
        if (value instanceof Collection<?> several) {
            return List.copyOf(several);
        }
        return value == null ? List.of() : List.of(value);
    }
}
