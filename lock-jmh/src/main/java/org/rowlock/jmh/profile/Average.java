package org.rowlock.jmh.profile;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * An average that a benchmark keeps itself, such as round trips per operation or rows locked per row returned: two sums,
 * whose quotient the {@link ClientProfiler} publishes for each iteration. One of a name for all threads. Thread-safe.
 */
public final class Average {
    private static final ConcurrentMap<String, Average> ALL = new ConcurrentHashMap<>();

    private final LongAdder amount = new LongAdder();
    private final LongAdder units = new LongAdder();

    private Average() {}

    /** The average of this name. */
    public static Average of(String name) {
        return ALL.computeIfAbsent(name, unused -> new Average());
    }

    /** Adds an amount to the dividend, and to the divisor the units that it came with. */
    public void add(long more, long moreUnits) {
        amount.add(more);
        units.add(moreUnits);
    }

    /** Takes what was added since the last time, by name; only averages of something. */
    static Map<String, Double> takeAll() {
        Map<String, Double> taken = new TreeMap<>();
        ALL.forEach((name, average) -> {
            long sum = average.amount.sumThenReset();
            long of = average.units.sumThenReset();
            if (of != 0) {
                taken.put(name, (double) sum / of);
            }
        });
        return taken;
    }
}
