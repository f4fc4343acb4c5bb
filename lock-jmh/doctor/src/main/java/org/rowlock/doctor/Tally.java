package org.rowlock.doctor;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

final class Tally<K> {
    private final Map<K, Long> counts = new LinkedHashMap<>();

    void add(@Nullable K thing, long times) {
        if (thing != null) {
            counts.merge(thing, times, Long::sum);
        }
    }

    /** Returns the share of each key, the largest first. */
    Map<K, Double> shares() {
        return times(1.0 / counts.values().stream().mapToLong(Long::longValue).sum());
    }

    /** Returns each count times the factor, the largest first. */
    Map<K, Double> times(double factor) {
        Map<K, Double> products = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.<K, Long>comparingByValue(Comparator.reverseOrder()))
                .forEach(entry -> products.put(entry.getKey(), entry.getValue() * factor));
        return products;
    }
}
