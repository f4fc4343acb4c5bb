package org.rowlock.internal.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Arguments;

/**
 * The internal form of a {@link LockRequest}.
 *
 * @param rows the keys of rows, once for each spelling of an id: in a text column, two spellings of a UUID are two rows
 *     with the same key
 * @param modes the mode of each key if they differ; empty if all keys have the same mode
 * @param lockWait the wait; null for the default of each call
 */
public record RequestParts(
        List<LockKey> keys,
        List<LockKey.Row> rows,
        RowLockMode mode,
        Map<LockKey, RowLockMode> modes,
        Map<LockKey.Row, Insert> inserts,
        @Nullable LockWait lockWait,
        boolean isAbsentAllowed)
        implements LockRequest {

    private static final String NO_KEY = "The key, or one of several keys, is null; give LockKey.row(table, id)";

    public static RequestParts of(RowLockMode mode, LockKey key) {
        return of(mode, List.of(Arguments.notNull(key, NO_KEY)));
    }

    public static RequestParts of(RowLockMode mode, Collection<? extends LockKey> keys) {
        Arguments.notNull(mode, "The mode is null; give FOR_UPDATE, FOR_NO_KEY_UPDATE, FOR_SHARE or FOR_KEY_SHARE");
        if (Arguments.notNull(keys, "The keys are null; give at least one").isEmpty()) {
            throw new IllegalArgumentException("The keys are empty; give at least one");
        }
        keys.forEach(key -> Arguments.notNull(key, NO_KEY));
        List<LockKey> given = List.copyOf(keys);
        List<LockKey> distinct = distinct(given);
        boolean differ = distinct.size() == given.size();
        return new RequestParts(distinct, rows(given, differ), mode, Map.of(), Map.of(), null, false);
    }

    @Override
    public RequestParts waiting(LockWait wait) {
        Arguments.notNull(wait, "The wait is null; give LockWait.forever(), noWait() or atMost()");
        return new RequestParts(keys, rows, mode, modes, inserts, wait, isAbsentAllowed);
    }

    @Override
    public RequestParts allowAbsent() {
        return new RequestParts(keys, rows, mode, modes, inserts, lockWait, true);
    }

    @Override
    public RequestParts orInsert(String insert, @Nullable Object... binds) {
        if (keys.size() != 1 || rows.size() != 1) {
            throw new IllegalArgumentException("orInsert() requires a request for one row, but this request is for "
                    + (rows.size() > 1 ? rows : keys) + "; make a request for each row, and join the requests with"
                    + " and()");
        }
        Insert made = new Insert(rows.get(0), insert, Arguments.binds(binds));
        return new RequestParts(keys, rows, mode, modes, Map.of(made.key(), made), lockWait, isAbsentAllowed);
    }

    @Override
    public RequestParts and(LockRequest joined) {
        RequestParts other = (RequestParts)
                Arguments.notNull(joined, "The other request is null; make one with LockRequest.forUpdate(key)");
        List<LockKey.Row> given = new ArrayList<>(rows);
        given.addAll(other.rows);
        Map<LockKey, RowLockMode> each = new LinkedHashMap<>();
        keys.forEach(key -> each.put(key, modeOf(key)));
        other.keys.forEach(key -> each.merge(key, other.modeOf(key), (one, two) -> Collections.min(List.of(one, two))));
        RowLockMode strongest = Collections.min(each.values());
        boolean differ = each.values().stream().anyMatch(one -> one != strongest);
        Map<LockKey.Row, Insert> both = new LinkedHashMap<>(other.inserts);
        both.putAll(inserts);
        return new RequestParts(
                List.copyOf(each.keySet()),
                rows(given, false),
                strongest,
                differ ? each : Map.of(),
                both,
                shorter(lockWait, other.lockWait),
                isAbsentAllowed(this) && isAbsentAllowed(other));
    }

    public static RequestParts of(@Nullable LockRequest request) {
        return (RequestParts)
                Arguments.notNull(request, "The request is null; make one with LockRequest.forUpdate(key)");
    }

    public LockWait lockWait(LockWait otherwise) {
        return lockWait == null ? otherwise : lockWait;
    }

    public RowLockMode modeOf(LockKey key) {
        return modes.isEmpty() ? mode : modes.getOrDefault(key, mode);
    }

    /** Whether several transactions can lock the same key in this mode at the same time. */
    public static boolean isShared(RowLockMode mode) {
        return mode == RowLockMode.FOR_SHARE || mode == RowLockMode.FOR_KEY_SHARE;
    }

    private static List<LockKey> distinct(List<LockKey> given) {
        return given.size() == 1 ? given : List.copyOf(new LinkedHashSet<>(given));
    }

    /** @param differ whether all given keys are known to be different */
    private static List<LockKey.Row> rows(List<? extends LockKey> given, boolean differ) {
        if (given.size() == 1) {
            return given.get(0) instanceof LockKey.Row row ? List.of(row) : List.of();
        }
        Set<Object> seen = new HashSet<>();
        List<LockKey.Row> rows = new ArrayList<>(given.size());
        for (LockKey key : given) {
            if (key instanceof LockKey.Row row && (differ || seen.add(List.of(row.table(), RowKey.givenId(row))))) {
                rows.add(row);
            }
        }
        return List.copyOf(rows);
    }

    /** Whether absent rows are allowed, or the request has no rows. */
    private static boolean isAbsentAllowed(RequestParts of) {
        return of.isAbsentAllowed || of.rows.isEmpty();
    }

    private static @Nullable LockWait shorter(@Nullable LockWait one, @Nullable LockWait other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** Returns {@code account[42] FOR UPDATE and customer[7] FOR SHARE, atMost 0.2s, absent allowed}, for example. */
    @Override
    public String toString() {
        Set<RowLockMode> said = modes.isEmpty() ? EnumSet.of(mode) : EnumSet.copyOf(modes.values());
        return said.stream()
                        .map(each -> keys.stream()
                                        .filter(key -> modeOf(key) == each)
                                        .map(LockKey::toString)
                                        .collect(Collectors.joining(", "))
                                + ' '
                                + each.name().replace('_', ' '))
                        .collect(Collectors.joining(" and "))
                + (inserts.isEmpty() ? "" : ", or insert")
                + (lockWait == null ? "" : ", " + lockWait)
                + (isAbsentAllowed ? ", absent allowed" : "");
    }
}
