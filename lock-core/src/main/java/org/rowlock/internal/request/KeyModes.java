package org.rowlock.internal.request;

import static java.util.Comparator.naturalOrder;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;

/**
 * The keys of one call, each with a mode of its own.
 *
 * @param keys the distinct keys in the caller's order
 * @param strongest the strongest of their modes
 * @param each the mode of each key where they differ; empty where all have the same
 */
public record KeyModes(List<LockKey> keys, RowLockMode strongest, Map<LockKey, RowLockMode> each) {
    private static final Comparator<Ranked> ORDER = Comparator.comparingInt(
                    (Ranked ranked) -> ranked.text().length())
            .thenComparing(Ranked::text)
            .thenComparing(ranked -> exactText(ranked.key()));

    /** The caller's keys, all in one mode, checked. */
    public static KeyModes of(@Nullable Collection<? extends LockKey> keys, @Nullable RowLockMode mode) {
        return new KeyModes(distinct(keys), check(mode), Map.of());
    }

    /**
     * The caller's keys and modes, checked. A map may tell keys apart that are equal, by identity or by a comparator of
     * its own; then the strongest mode counts.
     */
    public static KeyModes of(Map<? extends LockKey, RowLockMode> modes) {
        Map<LockKey, RowLockMode> each = new LinkedHashMap<>();
        if (modes != null) {
            modes.forEach((key, mode) -> each.merge(key, check(mode), BinaryOperator.minBy(naturalOrder())));
        }
        List<LockKey> keys = distinct(modes == null ? null : each.keySet());
        RowLockMode strongest = Collections.min(each.values());
        boolean differ = each.values().stream().anyMatch(mode -> mode != strongest);
        return new KeyModes(keys, strongest, differ ? each : Map.of());
    }

    /** A key with its text, which is made once and not at every comparison. */
    private record Ranked(LockKey key, String text) {}

    /**
     * The keys in one order for all calls. With the shorter text first it is that of numbers too, as on the server: a call then
     * queues on both sides in the same order, and holds no place in one queue for long while it waits in another.
     */
    public List<LockKey> ordered() {
        return keys.size() == 1
                ? keys
                : keys.stream()
                        .map(key -> new Ranked(key, key.toString()))
                        .sorted(ORDER)
                        .map(Ranked::key)
                        .toList();
    }

    /** Tells keys apart that look alike: row[a, b] of one column and of two, or a table called name and a name. */
    private static String exactText(LockKey key) {
        return key instanceof LockKey.Row row
                ? row.id().stream().map(part -> part.length() + ":" + part).collect(Collectors.joining())
                : key.getClass().getSimpleName();
    }

    public RowLockMode modeOf(LockKey key) {
        return each.getOrDefault(key, strongest);
    }

    /** The caller's keys, each once, checked. */
    public static List<LockKey> distinct(@Nullable Collection<? extends LockKey> keys) {
        if (keys == null || keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "The keys are " + (keys == null ? "null" : "empty") + "; give at least one");
        }
        if (keys.size() == 1) {
            return List.of(check(keys.iterator().next()));
        }
        LinkedHashSet<LockKey> distinct = new LinkedHashSet<>(keys.size() * 2);
        for (LockKey key : keys) {
            distinct.add(check(key));
        }
        return List.copyOf(distinct);
    }

    private static LockKey check(@Nullable LockKey key) {
        if (key == null) {
            throw new IllegalArgumentException(
                    "The key is null, or one of several is; make one with LockKey.row(table, id)");
        }
        return key;
    }

    public static RowLockMode check(@Nullable RowLockMode mode) {
        if (mode == null) {
            throw new IllegalArgumentException(
                    "The mode is null; give one of FOR_UPDATE, FOR_NO_KEY_UPDATE, FOR_SHARE, FOR_KEY_SHARE");
        }
        return mode;
    }

    public static void check(RowLockMode mode, LockWait wait) {
        check(mode);
        if (wait == null) {
            throw new IllegalArgumentException("The wait is null; give LockWait.forever(), noWait() or atMost()");
        }
    }
}
