package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A cache of values that are derived from an application's SQL. If an application generates its SQL, a cache without a
 * limit would be a memory leak. Therefore values beyond the limit are not stored, but derived each time. Thread-safe;
 * in a race, a value is derived twice.
 */
public final class BoundedCache<K, V> {
    private static final int MOST = 1_000;

    private final ConcurrentMap<K, V> values = new ConcurrentHashMap<>();

    @FunctionalInterface
    public interface Maker<K, V, X extends Exception> {
        V make(K of) throws X;
    }

    public <X extends Exception> V get(K of, Maker<? super K, ? extends V, X> maker) throws X {
        V kept = values.get(of);
        if (kept == null) {
            kept = maker.make(of);
            if (values.size() < MOST) {
                values.put(of, kept);
            }
        }
        return kept;
    }
}
