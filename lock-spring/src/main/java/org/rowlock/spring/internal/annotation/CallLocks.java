package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;
import org.rowlock.RowLockMode;

/**
 * What one call locks, evaluated.
 *
 * @param arguments of the call
 * @param ids as the caller has them, a list for each definition of the method
 * @param keys with the strongest mode that each is asked for in
 * @param required those of them that must have a row
 */
public record CallLocks(
        MethodLocks method,
        List<@Nullable Object> arguments,
        List<? extends List<? extends @Nullable Object>> ids,
        Map<LockKey, RowLockMode> keys,
        Set<LockKey> required) {

    /** What is locked; not of a call without keys. */
    public LockRequest request() {
        Map<RowLockMode, List<LockKey>> byMode = new EnumMap<>(RowLockMode.class);
        keys.forEach((key, mode) ->
                byMode.computeIfAbsent(mode, unused -> new ArrayList<>()).add(key));
        return byMode.entrySet().stream()
                .map(each -> LockRequest.of(each.getKey(), each.getValue()))
                .reduce(LockRequest::and)
                .orElseThrow();
    }

    /** Whether these are the very arguments that were evaluated. */
    @SuppressWarnings("ReferenceEquality")
    public boolean isOf(@Nullable Object[] others) {
        boolean same = arguments.size() == others.length;
        for (int i = 0; same && i < others.length; i++) {
            same = arguments.get(i) == others[i];
        }
        return same;
    }

    /** With the ids of an earlier evaluation where there are none now: some can be iterated once only. */
    public CallLocks orIdsOf(CallLocks earlier) {
        List<List<? extends @Nullable Object>> both = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            both.add(ids.get(i).isEmpty() ? earlier.ids.get(i) : ids.get(i));
        }
        return both.equals(ids) ? this : method.of(arguments, both);
    }
}
