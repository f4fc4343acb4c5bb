package org.rowlock.jmh.bench;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A fixed rate that several threads keep together. Each start has its time, and a free thread takes the next; while
 * all are busy the starts wait for them, and none is left out. So a latency that counts from the time of a start, and
 * not from when a thread got round to it, has all of the wait in it. Thread-safe.
 */
final class FixedRate {
    private final double nanosBetween;
    private final LongSupplier clock;
    private long taken;
    private long firstStart;
    private boolean stopped;
    private long end;

    /**
     * @param clock in nanoseconds, as {@link System#nanoTime()}
     */
    FixedRate(double perSecond, LongSupplier clock) {
        if (!(perSecond > 0)) {
            throw new IllegalArgumentException(
                    "A rate of " + perSecond + " per second cannot be kept; give more than 0");
        }
        this.nanosBetween = 1e9 / perSecond;
        this.clock = clock;
    }

    /** Forgets all starts; the next one taken is at that time. */
    synchronized void reset() {
        taken = 0;
        stopped = false;
    }

    /** Takes the next start: a time of the clock, past if the threads are late. */
    synchronized long next() {
        if (taken == 0) {
            firstStart = clock.getAsLong();
        }
        return start(taken++);
    }

    /** No start is due any more. Only the first call after a reset counts. */
    synchronized void stop() {
        if (!stopped) {
            stopped = true;
            end = clock.getAsLong();
        }
    }

    /** Stops, and gives how late each start is by then that was due and that nobody has taken. */
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
