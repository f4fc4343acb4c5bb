package org.rowlock.jmh.bench;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A fixed rate that several threads keep together. Each start has a scheduled time, and a free thread takes the next
 * one. While all threads are busy, starts wait, and none is left out. A latency that is measured from the scheduled
 * time includes this wait. Thread-safe.
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

    /** Discards all starts. The next one is due now. */
    synchronized void reset() {
        taken = 0;
        stopped = false;
    }

    /** Takes the next start, and returns its scheduled time, which has passed if the threads are late. */
    synchronized long next() {
        if (taken == 0) {
            firstStart = clock.getAsLong();
        }
        return start(taken++);
    }

    /** Ends the sequence of starts. Only the first call after a reset has an effect. */
    synchronized void stop() {
        if (!stopped) {
            stopped = true;
            end = clock.getAsLong();
        }
    }

    /** Stops, and passes on the delay of each start that was due but was not taken. */
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
