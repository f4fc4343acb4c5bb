package org.rowlock.jmh.bench;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The schedule of a fixed rate that several threads share. Each start has a scheduled time, and a free thread takes the
 * next start. While all threads are busy, starts are delayed but never skipped. A latency measured from the scheduled
 * time includes the delay. Thread-safe.
 */
final class FixedRate {
    private final double nanosBetween;
    private final LongSupplier clock;
    private long taken;
    private long firstStart;
    private boolean stopped;
    private long end;

    /** @param clock the clock in nanoseconds, as {@link System#nanoTime()} */
    FixedRate(double perSecond, LongSupplier clock) {
        if (!(perSecond > 0)) {
            throw new IllegalArgumentException(
                    "A rate of " + perSecond + " per second cannot be kept; give more than 0");
        }
        this.nanosBetween = 1e9 / perSecond;
        this.clock = clock;
    }

    /** Discards all starts. The next start is due at once. */
    synchronized void reset() {
        taken = 0;
        stopped = false;
    }

    /** Takes the next start, and returns its scheduled time. The time is in the past if the threads are late. */
    synchronized long next() {
        if (taken == 0) {
            firstStart = clock.getAsLong();
        }
        return start(taken++);
    }

    /** Ends the schedule. Only the first call after a reset has an effect. */
    synchronized void stop() {
        if (!stopped) {
            stopped = true;
            end = clock.getAsLong();
        }
    }

    /** Ends the schedule, and reports the delay of each start that was due but that no thread took. */
    synchronized void untaken(LongConsumer late) {
        stop();
        for (long n = taken; taken > 0 && start(n) < end; n++) {
            late.accept(end - start(n));
        }
    }

    private long start(long n) {
        return firstStart + (long) (n * nanosBetween);
    }
}
