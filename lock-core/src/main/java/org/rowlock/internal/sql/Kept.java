package org.rowlock.internal.sql;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What was made of an application's SQL, kept by what it was made of. An application has few different ones; where
 * there are more its SQL is not a constant, and to keep them all would be a leak, so that further ones are made anew
 * each time. Thread-safe; a race makes the same twice.
 */
public final class Kept<K, V> {
    private static final int MOST = 1_000;

    private final ConcurrentMap<K, V> values = new ConcurrentHashMap<>();

    @FunctionalInterface
    public interface Maker<K, V, X extends Exception> {
        V make(K of) throws X;
    }

    /** What was made, or is made now, and kept if there is room. */
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
