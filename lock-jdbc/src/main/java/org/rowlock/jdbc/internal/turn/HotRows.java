package org.rowlock.jdbc.internal.turn;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The rows that were asked for most among those that somebody had to wait for: the algorithm SpaceSaving, which forgets the
 * smallest count and gives it to whoever comes new. Thread-safe.
 */
final class HotRows {
    private static final int MOST = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> counts = new HashMap<>();

    void count(String row) {
        lock.lock();
        try {
            Long known = counts.get(row);
            if (known == null && counts.size() >= MOST) {
                Map.Entry<String, Long> least = counts.entrySet().stream()
                        .min(Map.Entry.comparingByValue())
                        .orElseThrow();
                known = least.getValue();
                counts.remove(least.getKey());
            }
            counts.put(row, known == null ? 1 : known + 1);
        } finally {
            lock.unlock();
        }
    }

    /** The most wanted first. */
    Map<String, Long> asMap() {
        Map<String, Long> sorted = new LinkedHashMap<>();
        lock.lock();
        try {
            counts.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                    .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        } finally {
            lock.unlock();
        }
        return sorted;
    }
}
