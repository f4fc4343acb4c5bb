package org.rowlock.jmh.bench;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long part of an operation takes, such as the acquisition of a lock. Each thread has its own instance.
 * Recording allocates nothing and takes tens of nanoseconds.
 */
public final class Latency {
    private static final int SIGNIFICANT_DIGITS = 2;
    private static final long NOTHING = 0;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private @Nullable Histogram recycled;
    private volatile long since = NOTHING;

    public void begin() {
        begin(System.nanoTime());
    }

    /** Begins at this value of {@link System#nanoTime()}. */
    void begin(long nanoTime) {
        since = nanoTime;
    }

    public void end() {
        record(System.nanoTime() - since);
        since = NOTHING;
    }

    void record(long nanos) {
        recorder.recordValue(Math.max(0, nanos));
    }

    /**
     * Moves the recorded times into {@code ended}. If an operation is running, adds its time so far to {@code open}.
     */
    void takeInto(Histogram ended, Histogram open) {
        long begun = since;
        if (begun != NOTHING) {
            open.recordValue(System.nanoTime() - begun);
        }
        recycled = recorder.getIntervalHistogram(recycled);
        ended.add(recycled);
    }
}
