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
 * @param given the id, or each of its parts where it is given in parts
 * @param partNames of the parameters, properties or columns that the parts of the id are, in their order; empty for
 *     what has no name, and for an id that is no composite
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

    /** The ids of a call as the caller has them. */
    List<@Nullable Object> ids(IdPart.Call call) {
        try {
            List<@Nullable Object> values = new ArrayList<>(given.size());
            if (given.size() > 1) {
                given.forEach(part -> values.add(part.value().apply(call)));
                return List.of(values);
            }
            for (Object each : IdPart.each(given.get(0).value().apply(call))) {
                values.add(each);
            }
            return values;
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
        for (IdPart part : given) {
            if (part.type().filter(IdObjects::isIdObject).isPresent()) {
                IdObjects.partTypes(part.type().get()).forEach(type -> types.add(Optional.of(type)));
            } else {
                types.add(part.type());
            }
        }
        return types;
    }

    /** How many parts each id has as far as the declaration shows; 0 where only a call does. */
    public int parts() {
        if (given.size() > 1) {
            return given.size();
        }
        Class<?> whole = given.get(0).type().orElse(Object.class);
        return IdObjects.isIdObject(whole) ? partTypes().size() : BeanUtils.isSimpleValueType(whole) ? 1 : 0;
    }
}
