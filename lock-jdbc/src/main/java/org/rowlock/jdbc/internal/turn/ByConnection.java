package org.rowlock.jdbc.internal.turn;

import java.sql.Connection;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What is known of sessions, by the driver's connection, which outlives a pool's. Forgotten with it. Thread-safe. */
final class ByConnection<V> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Connection, V> known = new WeakHashMap<>();

    @Nullable
    V get(Connection driver) {
        lock.lock();
        try {
            return known.get(driver);
        } finally {
            lock.unlock();
        }
    }

    void put(Connection driver, V value) {
        lock.lock();
        try {
            known.put(driver, value);
        } finally {
            lock.unlock();
        }
    }

    void forget(Connection driver) {
        lock.lock();
        try {
            known.remove(driver);
        } finally {
            lock.unlock();
        }
    }
}
