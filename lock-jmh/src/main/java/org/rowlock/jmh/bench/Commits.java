package org.rowlock.jmh.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** When the transactions of an iteration were committed, whoever committed them. Thread-safe. */
final class Commits {
    private final LongAdder count = new LongAdder();
    private final LongAccumulator longestGapNanos = new LongAccumulator(Math::max, 0);
    private final AtomicLong latest = new AtomicLong();
    private volatile long begun;

    /**
     * Begins an iteration, while nobody works.
     *
     * @param now a reading of {@link System#nanoTime()}
     */
    void begin(long now) {
        count.reset();
        longestGapNanos.reset();
        begun = now;
        latest.set(now);
    }

    /** To be called behind each commit. */
    void committed(long now) {
        long before = latest.getAndAccumulate(now, (one, other) -> one - other > 0 ? one : other);
        longestGapNanos.accumulate(now - before);
        count.increment();
    }

    /** From the beginning to the last commit; 0 if there was none. */
    double perSecond() {
        long nanos = latest.get() - begun;
        return nanos == 0 ? 0 : count.sum() / (nanos / (double) TimeUnit.SECONDS.toNanos(1));
    }

    /** The longest time in which nobody committed. */
    double longestGapMillis() {
        return longestGapNanos.get() / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }
}
