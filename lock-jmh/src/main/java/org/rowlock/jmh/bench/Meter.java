package org.rowlock.jmh.bench;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.rowlock.jmh.profile.Published;

/** The measurements of a workload's clients in the current window. Thread-safe. */
public final class Meter {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Map<String, Double> PERCENTILES =
            Map.of(".p50", 50.0, ".p95", 95.0, ".p99", 99.0, ".max", 100.0);

    private final ConcurrentMap<String, Queue<Latency>> latencies = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Average> averages = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, LongAdder> counts = new ConcurrentHashMap<>();

    /**
     * Two sums whose quotient is an average, such as round trips per operation. Thread-safe: both sums are read and
     * reset in one step, so they cover the same interval.
     */
    public static final class Average {
        private long amount;
        private long units;

        public synchronized void add(long more, long moreUnits) {
            amount += more;
            units += moreUnits;
        }

        synchronized double soFar() {
            return units > 0 ? (double) amount / units : Double.NaN;
        }

        synchronized double take() {
            double average = soFar();
            amount = 0;
            units = 0;
            return average;
        }
    }

    public Latency latency(String name) {
        Latency latency = new Latency();
        latencies.computeIfAbsent(name, unused -> new ConcurrentLinkedQueue<>()).add(latency);
        return latency;
    }

    public Average average(String name) {
        return averages.computeIfAbsent(name, unused -> new Average());
    }

    /** Creates a counter, published as a rate per second. */
    LongAdder count(String name) {
        return counts.computeIfAbsent(name, unused -> new LongAdder());
    }

    public void reset() {
        take(new Published(1, 0));
    }

    /** Publishes what was measured since the last call. */
    public void take(Published results) {
        latencies.forEach((name, each) -> {
            Histogram ended = new Histogram(2);
            Histogram all = new Histogram(2);
            each.forEach(latency -> latency.takeInto(ended, all));
            all.add(ended);
            if (all.getTotalCount() > 0) {
                // An open operation will last at least as long as it has lasted so far. Therefore its time may raise a
                // figure, but never lowers one.
                PERCENTILES.forEach((suffix, percent) -> {
                    long nanos = Math.max(ended.getValueAtPercentile(percent), all.getValueAtPercentile(percent));
                    results.put(name + suffix, nanos / NANOS_PER_MILLI, "ms");
                });
            }
        });
        averages.forEach((name, average) -> {
            double taken = average.take();
            if (!Double.isNaN(taken)) {
                results.put(name, taken, "");
            }
        });
        counts.forEach((name, count) -> results.put(name, count.sumThenReset() / results.seconds(), "1/s"));
    }
}
