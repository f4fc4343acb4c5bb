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
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Arguments;

/**
 * The internal form of a {@link LockRequest}.
 *
 * @param rows the rows to lock. A key occurs once for each spelling of its id, because in a text column two spellings
 *     of a UUID are two rows
 * @param modes the mode of each key if they differ; empty if all keys have the same mode
 * @param inserts the INSERTs of rows that may be absent, in the order in which all calls insert rows
 * @param lockWait the wait; null for the default, which is forever except for {@code tryLock}
 */
public record RequestParts(
        List<LockKey> keys,
        List<LockKey.Row> rows,
        RowLockMode mode,
        Map<LockKey, RowLockMode> modes,
        List<Insert> inserts,
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
        return new RequestParts(distinct, rows(given, differ), mode, Map.of(), List.of(), null, false);
    }

    public RequestParts waiting(LockWait wait) {
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
        return new RequestParts(keys, rows, mode, modes, List.of(made), lockWait, isAbsentAllowed);
    }

    @Override
    public RequestParts and(LockRequest joined) {
        RequestParts other = of(joined, "The other request");
        List<LockKey.Row> given = new ArrayList<>(rows);
        given.addAll(other.rows);
        Map<LockKey, RowLockMode> each = new LinkedHashMap<>();
        keys.forEach(key -> each.put(key, modeOf(key)));
        other.keys.forEach(key -> each.merge(key, other.modeOf(key), (one, two) -> Collections.min(List.of(one, two))));
        RowLockMode strongest = Collections.min(each.values());
        boolean differ = each.values().stream().anyMatch(one -> one != strongest);
        Map<String, Insert> both = new TreeMap<>(RequestParts::shorterFirst);
        other.inserts.forEach(insert -> both.put(exactText(insert.key()), insert));
        inserts.forEach(insert -> both.put(exactText(insert.key()), insert));
        return new RequestParts(
                List.copyOf(each.keySet()),
                rows(given, false),
                strongest,
                differ ? each : Map.of(),
                List.copyOf(both.values()),
                shorter(lockWait, other.lockWait),
                isAbsentAllowed(this) && isAbsentAllowed(other));
    }

    public static RequestParts of(@Nullable LockRequest request) {
        return of(request, "The request");
    }

    private static RequestParts of(@Nullable LockRequest request, String what) {
        if (request instanceof RequestParts parts) {
            return parts;
        }
        throw new IllegalArgumentException(what + " is null; make one with LockRequest.forUpdate(key)");
    }

    @Override
    public LockWait lockWait() {
        return lockWait == null ? LockWait.FOREVER : lockWait;
    }

    public LockWait lockWait(LockWait otherwise) {
        return lockWait == null ? otherwise : lockWait;
    }

    /**
     * Returns the request with the remaining part of a bounded wait, which began at the given {@link
     * System#nanoTime()}.
     */
    public RequestParts remaining(long startNanos) {
        return lockWait().isBounded() ? waiting(lockWait().remaining(startNanos)) : this;
    }

    public RowLockMode modeOf(LockKey key) {
        return modes.isEmpty() ? mode : modes.getOrDefault(key, mode);
    }

    /** Whether several transactions can lock the same key in this mode at the same time. */
    public static boolean isShared(RowLockMode mode) {
        return mode == RowLockMode.FOR_SHARE || mode == RowLockMode.FOR_KEY_SHARE;
    }

    /**
     * Returns the keys in the order in which all calls enter queues. With different orders, two calls could each wait
     * in a queue that the other call has already entered. Shorter texts are first, so that nonnegative integer ids are
     * in the order of their values. The server may lock the keys in another order, which causes no deadlock, because a
     * call enters all queues before it sends a statement.
     */
    public static List<LockKey> ordered(List<LockKey> keys) {
        if (keys.size() == 1) {
            return keys;
        }
        Map<String, LockKey> byText = new TreeMap<>(RequestParts::shorterFirst);
        keys.forEach(key -> byText.put(exactText(key), key));
        return List.copyOf(byText.values());
    }

    /** Returns different texts for different keys. A name and a row of a table "name" can have the same toString(). */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.table() + "[" + String.join("\0", row.id())
                : key.getClass().getSimpleName() + key;
    }

    /** Compares two texts by their lengths, and by their characters if the lengths are equal. */
    public static int shorterFirst(String one, String two) {
        return one.length() == two.length() ? one.compareTo(two) : Integer.compare(one.length(), two.length());
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
