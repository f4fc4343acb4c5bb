package org.rowlock.internal.text;

import java.util.ArrayList;
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
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;

/**
 * What a {@link org.rowlock.LockRequest} is made of.
 *
 * @param keys each once, in the order given
 * @param spelled the same with each spelling of an id: of a text column, two spellings of a UUID are two rows of one
 *     key. The list of the keys itself if that is the same
 * @param mode the strongest
 * @param modes of each key if they differ; empty if all have the same
 * @param inserts of rows that may be absent
 * @param lockWait null for what each call has by default
 * @param isRowRequired whether an absent row is an error
 */
public record RequestParts(
        List<LockKey> keys,
        List<LockKey> spelled,
        RowLockMode mode,
        Map<LockKey, RowLockMode> modes,
        Map<LockKey.Row, Insert> inserts,
        @Nullable LockWait lockWait,
        boolean isRowRequired) {

    public static RequestParts of(RowLockMode mode, List<LockKey> given) {
        List<LockKey> distinct = distinct(given);
        return new RequestParts(distinct, spelled(distinct, given), mode, Map.of(), Map.of(), null, false);
    }

    public RequestParts with(@Nullable LockWait newWait, boolean rowRequired) {
        return new RequestParts(keys, spelled, mode, modes, inserts, newWait, rowRequired);
    }

    public RequestParts with(Insert insert) {
        return new RequestParts(keys, spelled, mode, modes, Map.of(insert.key(), insert), lockWait, isRowRequired);
    }

    public RequestParts and(RequestParts other) {
        List<LockKey> given = new ArrayList<>(spelled);
        given.addAll(other.spelled);
        List<LockKey> all = distinct(given);
        RowLockMode strongest = stronger(mode, other.mode);
        Map<LockKey, RowLockMode> each = new LinkedHashMap<>();
        keys.forEach(key -> each.put(key, modeOf(key)));
        other.keys.forEach(key -> each.merge(key, other.modeOf(key), RequestParts::stronger));
        boolean differ = each.values().stream().anyMatch(one -> one != strongest);
        Map<LockKey.Row, Insert> both = new LinkedHashMap<>(other.inserts);
        both.putAll(inserts);
        return new RequestParts(
                all,
                spelled(all, given),
                strongest,
                differ ? each : Map.of(),
                both,
                shorter(lockWait, other.lockWait),
                isRowRequired || other.isRowRequired);
    }

    public RowLockMode modeOf(LockKey key) {
        return modes.isEmpty() ? mode : modes.getOrDefault(key, mode);
    }

    private static List<LockKey> distinct(List<LockKey> given) {
        return given.size() == 1 ? given : List.copyOf(new LinkedHashSet<>(given));
    }

    private static List<LockKey> spelled(List<LockKey> distinct, List<LockKey> given) {
        if (distinct.size() == given.size()) {
            return distinct;
        }
        Set<Object> seen = new HashSet<>();
        return given.stream()
                .filter(key -> seen.add(key instanceof LockKey.Row row ? List.of(row.table(), row.givenId()) : key))
                .toList();
    }

    private static RowLockMode stronger(RowLockMode one, RowLockMode other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static @Nullable LockWait shorter(@Nullable LockWait one, @Nullable LockWait other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** As it is said: {@code account[42] FOR UPDATE and customer[7] FOR SHARE, atMost 0.2s, row required}. */
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
                + (isRowRequired ? ", row required" : "");
    }
}
