package org.rowlock.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.springframework.beans.BeanUtils;

/**
 * One {@link RowLock}, read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table looked up when first needed: that of an entity is known when the entity manager factory is there
 * @param entity the entity; null if the table was given by name
 * @param idType the type of each id as far as the declaration tells; null where only a call does
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

    /** How many parts each id has as far as the declaration tells; 0 where only a call does. */
    int parts() {
        if (id instanceof IdSource.Composite composite) {
            return composite.parts().size();
        }
        if (idType == null) {
            return 0;
        }
        return IdObjects.isIdObject(idType)
                ? IdObjects.partNames(idType).size()
                : BeanUtils.isSimpleValueType(idType) ? 1 : 0;
    }

    /** The ids of a call as the caller has them, for the entities of those ids. */
    List<Object> entityIds(IdSource.Call call) {
        List<Object> ids = new ArrayList<>();
        for (Object each : IdSource.each(id.value(call))) {
            if (each != null) {
                ids.add(each);
            }
        }
        return ids;
    }
}
