package org.rowlock.doctor;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
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

    /** Its part of all, from 0 to 1; 0 of nothing. */
    double share(K thing) {
        long total = total();
        return total == 0 ? 0 : (double) of(thing) / total;
    }

    /** The most frequent first, without what is less than a part of all. */
    List<K> ranking(double leastShare) {
        return ranking().stream().filter(thing -> share(thing) >= leastShare).toList();
    }

    /** The most frequent first. */
    List<K> ranking() {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<K, Long>comparingByValue(Comparator.reverseOrder()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
