package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.spring.RowLock;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.ExpressionException;

/**
 * One {@link RowLock}, read and checked. Immutable and thread-safe.
 *
 * @param where the method, for messages
 * @param table looked up when first needed: that of an entity is known when the entity manager factory is there
 * @param givenTypes of the id, or of each of its parts where it is given in parts; empty where only a call shows it
 * @param partNames of the parameters, properties or columns that the parts of the id are, in their order; empty for
 *     what has no name, and for an id that is no composite
 * @param idText the ids as the annotation has them, for listings
 * @param required whether the row must exist
 */
public record RowLockDefinition(
        String where,
        Supplier<String> table,
        IdSource id,
        List<Optional<Class<?>>> givenTypes,
        Supplier<List<String>> partNames,
        String idText,
        RowLockMode mode,
        boolean required) {

    /**
     * The ids of a call as the caller has them.
     *
     * @throws IllegalArgumentException if an expression fails
     */
    List<@Nullable Object> ids(IdSource.Call call) {
        try {
            return id.ids(call);
        } catch (ExpressionException e) {
            throw new IllegalArgumentException(place() + ": " + e.getMessage() + call.nulls(), e);
        }
    }

    /** The keys of such ids. */
    List<LockKey> keys(List<? extends @Nullable Object> ids) {
        List<LockKey> keys = new ArrayList<>(ids.size());
        for (Object each : ids) {
            if (each == null) {
                throw new IllegalArgumentException(place() + ": the id for table " + table.get()
                        + " is null, so there is no row to lock. Call the method with an id; where there may be"
                        + " none, give an expression that is empty then, such as id = \"#id == null ? {} : {#id}\".");
            }
            try {
                keys.add(key(IdObjects.partsOrValue(each)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(place() + ": " + e.getMessage(), e);
            }
        }
        return keys;
    }

    private String place() {
        return "@RowLock on " + where + ", " + idText;
    }

    // Null is for the core to refuse, with its message.
    @SuppressWarnings("NullAway")
    private LockKey key(@Nullable Object each) {
        return LockKey.row(table.get(), each);
    }

    /** The type of each part as far as the declaration shows. */
    public List<Optional<Class<?>>> partTypes() {
        List<Optional<Class<?>>> types = new ArrayList<>();
        for (Optional<Class<?>> given : givenTypes) {
            if (given.isPresent() && IdObjects.isIdObject(given.get())) {
                IdObjects.partTypes(given.get()).forEach(type -> types.add(Optional.of(type)));
            } else {
                types.add(given);
            }
        }
        return types;
    }

    /** How many parts each id has as far as the declaration shows; 0 where only a call does. */
    public int parts() {
        if (id instanceof IdSource.Composite composite) {
            return composite.parts().size();
        }
        Class<?> whole = givenTypes.get(0).orElse(Object.class);
        return IdObjects.isIdObject(whole)
                ? IdObjects.partNames(whole).size()
                : BeanUtils.isSimpleValueType(whole) ? 1 : 0;
    }
}
