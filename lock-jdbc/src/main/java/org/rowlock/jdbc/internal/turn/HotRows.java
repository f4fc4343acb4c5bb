package org.rowlock.jdbc.internal.turn;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The rows with the most requests, of the rows that a transaction had to wait for: the algorithm SpaceSaving, which
 * forgets the smallest count and gives it to the newcomer. Thread-safe.
 */
final class HotRows {
    private static final int MOST = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> places = new HashMap<>();
    private final String[] rows = new String[MOST];
    private final long[] counts = new long[MOST];

    void count(String row) {
        lock.lock();
        try {
            counts[placeOf(row)]++;
        } finally {
            lock.unlock();
        }
    }

    private int placeOf(String row) {
        Integer known = places.get(row);
        if (known != null) {
            return known;
        }
        int least = 0;
        for (int i = 1; i < MOST; i++) {
            least = counts[i] < counts[least] ? i : least;
        }
        places.remove(rows[least]);
        rows[least] = row;
        places.put(row, least);
        return least;
    }

    /** The most wanted first. */
    Map<String, Long> asMap() {
        Map<String, Long> sorted = new LinkedHashMap<>();
        lock.lock();
        try {
            places.entrySet().stream()
                    .sorted(Comparator.comparingLong(place -> -counts[place.getValue()]))
                    .forEach(place -> sorted.put(place.getKey(), counts[place.getValue()]));
        } finally {
            lock.unlock();
        }
        return sorted;
    }
}
