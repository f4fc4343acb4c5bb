package org.rowlock.jdbc.internal.observe;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts the waits for each row, and keeps the rows with the most waits by the SpaceSaving algorithm: a new row
 * replaces the row with the smallest count, and inherits that count. Thread-safe.
 */
public final class HotRows {
    private static final int MOST = 64;

    private final Map<String, Long> rows = new HashMap<>();

    public synchronized void count(String row) {
        long inherited = 0;
        if (rows.size() >= MOST && !rows.containsKey(row)) {
            Map.Entry<String, Long> least =
                    rows.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow();
            inherited = least.getValue();
            rows.remove(least.getKey());
        }
        rows.merge(row, inherited + 1, Long::sum);
    }

    public synchronized Map<String, Long> asMap() {
        return rows.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Math::max, LinkedHashMap::new));
    }
}
