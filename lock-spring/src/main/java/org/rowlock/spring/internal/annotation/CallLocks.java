package org.rowlock.spring.internal.annotation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockRequest;

/**
 * What one call locks, evaluated.
 *
 * @param arguments of the call
 * @param keys a list for each definition of the method
 */
public record CallLocks(MethodLocks method, List<@Nullable Object> arguments, List<List<LockKey>> keys) {

    /** What is locked; null if there is nothing. */
    public @Nullable LockRequest request() {
        LockRequest all = null;
        for (int i = 0; i < keys.size(); i++) {
            if (!keys.get(i).isEmpty()) {
                LockRequest one = LockRequest.of(method.definitions().get(i).mode(), keys.get(i));
                all = all == null ? one : all.and(one);
            }
        }
        return all;
    }

    /** Those of the keys that must have a row. */
    public Set<LockKey> required() {
        Set<LockKey> required = new HashSet<>();
        for (int i = 0; i < keys.size(); i++) {
            if (method.definitions().get(i).required()) {
                required.addAll(keys.get(i));
            }
        }
        return required;
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

    /** With the keys of an earlier evaluation where there are none now: some ids can be iterated once only. */
    public CallLocks orKeysOf(CallLocks earlier) {
        List<List<LockKey>> both = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            both.add(keys.get(i).isEmpty() ? earlier.keys.get(i) : keys.get(i));
        }
        return new CallLocks(method, arguments, both);
    }
}
