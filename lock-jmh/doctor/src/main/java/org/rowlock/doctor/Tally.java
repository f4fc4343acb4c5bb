package org.rowlock.doctor;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts things by what they are. */
final class Tally<K> {
    private final Map<K, Long> counts = new LinkedHashMap<>();

    void add(K thing, long times) {
        counts.merge(thing, times, Long::sum);
    }

    void add(K thing) {
        add(thing, 1);
    }

    long of(K thing) {
        return counts.getOrDefault(thing, 0L);
    }

    long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The part of each, the most frequent first. */
    Map<K, Double> shares() {
        return times(total() == 0 ? 0 : 1.0 / total());
    }

    /** Each times a factor, the most frequent first. */
    Map<K, Double> times(double factor) {
        Map<K, Double> products = new LinkedHashMap<>();
        counts.entrySet().stream()
                .sorted(Map.Entry.<K, Long>comparingByValue(Comparator.reverseOrder()))
                .forEach(entry -> products.put(entry.getKey(), entry.getValue() * factor));
        return products;
    }
}
