package org.rowlock.internal.queue;

import java.sql.Connection;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What is known of sessions, by the driver's connection, which outlives a pool's. Forgotten with it. Thread-safe. */
public final class ByConnection<V> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Connection, V> known = new WeakHashMap<>();

    @Nullable
    public V get(Connection driver) {
        lock.lock();
        try {
            return known.get(driver);
        } finally {
            lock.unlock();
        }
    }

    public void put(Connection driver, V value) {
        lock.lock();
        try {
            known.put(driver, value);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets it, and gives what was known. */
    @Nullable
    public V remove(Connection driver) {
        lock.lock();
        try {
            return known.remove(driver);
        } finally {
            lock.unlock();
        }
    }
}
