package org.rowlock;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one call, each with a mode of its own.
 *
 * @param keys the distinct keys in the caller's order
 * @param strongest the strongest of their modes
 * @param each the mode of each key where they differ; empty where all have the same
 */
record KeyModes(List<LockKey> keys, RowLockMode strongest, Map<LockKey, RowLockMode> each) {

    /** The caller's keys and modes, checked. */
    static KeyModes of(Map<? extends LockKey, RowLockMode> modes) {
        List<LockKey> keys = distinct(modes == null ? null : modes.keySet());
        Map<LockKey, RowLockMode> each = new HashMap<>();
        RowLockMode strongest = RowLockMode.FOR_KEY_SHARE;
        boolean differ = false;
        for (LockKey key : keys) {
            RowLockMode mode = check(modes.get(key));
            differ |= !each.isEmpty() && mode != strongest;
            strongest = mode.compareTo(strongest) < 0 ? mode : strongest;
            each.put(key, mode);
        }
        return new KeyModes(keys, strongest, differ ? each : Map.of());
    }

    RowLockMode modeOf(LockKey key) {
        return each.getOrDefault(key, strongest);
    }

    /** The caller's keys, each once, checked. */
    static List<LockKey> distinct(@Nullable Collection<? extends LockKey> keys) {
        if (keys == null || keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "The keys are " + (keys == null ? "null" : "empty") + "; give at least one");
        }
        LinkedHashSet<LockKey> distinct = new LinkedHashSet<>(keys.size() * 2);
        for (LockKey key : keys) {
            if (key == null) {
                throw new IllegalArgumentException(
                        "The key is null, or one of several is; make one with LockKey.row(table, id)");
            }
            distinct.add(key);
        }
        return List.copyOf(distinct);
    }

    static RowLockMode check(@Nullable RowLockMode mode) {
        if (mode == null) {
            throw new IllegalArgumentException(
                    "The mode is null; give one of FOR_UPDATE, FOR_NO_KEY_UPDATE, FOR_SHARE, FOR_KEY_SHARE");
        }
        return mode;
    }

    static void check(RowLockMode mode, LockWait wait) {
        check(mode);
        if (wait == null) {
            throw new IllegalArgumentException("The wait is null; give LockWait.forever(), noWait() or atMost()");
        }
    }
}
