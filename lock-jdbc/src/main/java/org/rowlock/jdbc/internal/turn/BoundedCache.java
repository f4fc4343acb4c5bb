package org.rowlock.jdbc.internal.turn;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A cache in two generations: when the young one is full it becomes the old one, which is forgotten. What is used
 * stays, and at most twice the size is held. Thread-safe.
 */
final class BoundedCache<K, V> {
    private final int size;
    private volatile Map<K, V> young = new ConcurrentHashMap<>();
    private volatile Map<K, V> old = Map.of();

    BoundedCache(int size) {
        this.size = size;
    }

    /** The value of a key, made where there is none. Two threads may each make one. */
    V get(K key, Function<K, V> maker) {
        V value = young.get(key);
        if (value != null) {
            return value;
        }
        value = old.get(key);
        if (value == null) {
            value = maker.apply(key);
        }
        put(key, value);
        return value;
    }

    void put(K key, V value) {
        Map<K, V> filling = young;
        if (filling.size() >= size) {
            old = filling;
            filling = new ConcurrentHashMap<>();
            young = filling;
        }
        filling.put(key, value);
    }
}
