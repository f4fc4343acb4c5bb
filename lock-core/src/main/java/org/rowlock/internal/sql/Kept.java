package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Values derived from an application's SQL, kept by their source. An application has few different ones. If there are
 * more, its SQL is not constant, and keeping all of them would be a leak. Further ones are then derived anew each time.
 * Thread-safe; in a race, a value is derived twice.
 */
public final class Kept<K, V> {
    private static final int MOST = 1_000;

    private final ConcurrentMap<K, V> values = new ConcurrentHashMap<>();

    @FunctionalInterface
    public interface Maker<K, V, X extends Exception> {
        V make(K of) throws X;
    }

    /** Returns the kept value, or derives it now and keeps it if there is room. */
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
