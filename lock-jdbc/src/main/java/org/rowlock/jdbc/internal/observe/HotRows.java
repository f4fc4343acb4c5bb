package org.rowlock.jdbc.internal.observe;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Counts the waits for each row, and keeps the rows with the most waits by the SpaceSaving algorithm: a new row
 * replaces the row with the smallest count, and inherits that count. Thread-safe. If a row is replaced while a wait for
 * that row is counted, the wait counts for the new row.
 */
public final class HotRows {
    private static final int MOST = 64;

    private final Map<String, LongAdder> rows = new ConcurrentHashMap<>();

    public void count(String row) {
        LongAdder known = rows.get(row);
        (known == null ? place(row) : known).increment();
    }

    private synchronized LongAdder place(String row) {
        LongAdder count = rows.get(row);
        if (count == null) {
            count = new LongAdder();
            if (rows.size() >= MOST) {
                var least = Collections.min(
                        rows.entrySet(),
                        Comparator.comparingLong(each -> each.getValue().sum()));
                rows.remove(least.getKey());
                count = least.getValue();
            }
            rows.put(row, count);
        }
        return count;
    }

    public Map<String, Long> asMap() {
        return rows.entrySet().stream()
                .map(row -> Map.entry(row.getKey(), row.getValue().sum()))
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Math::max, LinkedHashMap::new));
    }
}
