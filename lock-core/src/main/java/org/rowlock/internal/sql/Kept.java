package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What was made of an application's SQL, kept by what it was made of. An application has few different ones; where
 * there are more its SQL is not a constant, and to keep them all would be a leak, so that further ones are made anew
 * each time. Thread-safe; a race makes the same twice.
 */
public final class Kept<K, V> {
    private static final int MOST = 1_000;

    private final ConcurrentMap<K, V> values = new ConcurrentHashMap<>();

    public @Nullable V get(K of) {
        return values.get(of);
    }

    /** Keeps a value that was made, if there is room, and returns it. */
    public V keep(K of, V made) {
        if (values.size() < MOST) {
            values.put(of, made);
        }
        return made;
    }
}
