package org.rowlock.jmh.profile;

import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * How long a part of an operation takes, such as getting the lock. Each thread makes its own and records into it; the
 * {@link ClientProfiler} collects those of one name from all threads, iteration by iteration. Recording allocates
 * nothing and costs tens of nanoseconds.
 */
public final class Latency {
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final Queue<Latency> ALL = new ConcurrentLinkedQueue<>();

    private final String name;
    private final SingleWriterRecorder recorder = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private @Nullable Histogram recycled;

    private Latency(String name) {
        this.name = name;
    }

    /** A latency of this name, for one thread. */
    public static Latency of(String name) {
        Latency latency = new Latency(name);
        ALL.add(latency);
        return latency;
    }

    /** Records the time since a reading of {@link System#nanoTime()}. */
    public void recordSince(long startNanos) {
        record(System.nanoTime() - startNanos);
    }

    public void record(long nanos) {
        recorder.recordValue(nanos);
    }

    /** Takes what all threads have recorded since the last time, by name, in nanoseconds. */
    static synchronized Map<String, Histogram> takeAll() {
        Map<String, Histogram> taken = new TreeMap<>();
        for (Latency latency : ALL) {
            Histogram interval = latency.recorder.getIntervalHistogram(latency.recycled);
            latency.recycled = interval;
            if (interval.getTotalCount() > 0) {
                taken.computeIfAbsent(latency.name, name -> new Histogram(SIGNIFICANT_DIGITS))
                        .add(interval);
            }
        }
        return taken;
    }
}
