package org.rowlock.jmh.bench;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.rowlock.jmh.profile.Measured;

/** What a workload's clients measure, window by window. Thread-safe. */
final class Meter {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ConcurrentMap<String, Queue<Latency>> latencies = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Average> averages = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final Map<String, Measured> gauges = new ConcurrentHashMap<>();

    /** Two sums, whose quotient is an average, such as round trips per operation. Thread-safe. */
    static final class Average {
        private final LongAdder amount = new LongAdder();
        private final LongAdder units = new LongAdder();

        void add(long more, long moreUnits) {
            amount.add(more);
            units.add(moreUnits);
        }
    }

    /** A latency of this name, for one thread. */
    Latency latency(String name) {
        Latency latency = new Latency();
        latencies.computeIfAbsent(name, unused -> new ConcurrentLinkedQueue<>()).add(latency);
        return latency;
    }

    Average average(String name) {
        return averages.computeIfAbsent(name, unused -> new Average());
    }

    /** Counts something that is shown per second. */
    LongAdder count(String name) {
        return counts.computeIfAbsent(name, unused -> new LongAdder());
    }

    /** Sets a number that says something about a window as a whole. */
    void gauge(String name, double value, String unit) {
        gauges.put(name, new Measured(value, unit));
    }

    /** Forgets what was measured until now. */
    void reset() {
        take(1, new ConcurrentHashMap<>());
    }

    /** Takes what was measured since the last time. */
    void take(double seconds, Map<String, Measured> results) {
        latencies.forEach((name, all) -> {
            Histogram histogram = new Histogram(2);
            long pending = 0;
            for (Latency latency : all) {
                latency.takeInto(histogram);
                pending = Math.max(pending, latency.pendingNanos());
            }
            if (histogram.getTotalCount() + pending > 0) {
                for (int percent : new int[] {50, 95, 99}) {
                    results.put(name + ".p" + percent, millis(histogram.getValueAtPercentile(percent)));
                }
                // Who has not come through by now has waited so long at least.
                results.put(name + ".max", millis(Math.max(pending, histogram.getMaxValue())));
            }
        });
        averages.forEach((name, average) -> {
            double units = average.units.sumThenReset();
            double amount = average.amount.sumThenReset();
            if (units > 0) {
                results.put(name, new Measured(amount / units, ""));
            }
        });
        counts.forEach((name, count) -> results.put(name, new Measured(count.sumThenReset() / seconds, "1/s")));
        gauges.forEach(results::put);
        gauges.clear();
    }

    private static Measured millis(long nanos) {
        return new Measured(nanos / NANOS_PER_MILLI, "ms");
    }
}
