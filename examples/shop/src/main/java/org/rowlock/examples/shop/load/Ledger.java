package org.rowlock.examples.shop.load;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** The answers that the clients got, to hold the shop to. Thread-safe. */
final class Ledger {
    final LongAdder placed = new LongAdder();
    final LongAdder shipped = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    /** Refused for now, as a lock was not to be had in time. */
    final LongAdder busy = new LongAdder();
    /** Refused, as there is not enough left. */
    final LongAdder refused = new LongAdder();

    private final Map<Long, LongAdder> ordered = new ConcurrentHashMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    void placed(Map<Long, Integer> lines) {
        placed.increment();
        lines.forEach((product, quantity) -> of(product).add(quantity));
    }

    void cancelled(Map<Long, Integer> lines) {
        cancelled.increment();
        lines.forEach((product, quantity) -> of(product).add(-quantity));
    }

    /** Something that must not happen: the outcome is unknown, or the shop is broken. */
    void failed(String what) {
        failures.add(what);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    /** How much of a product is in orders that were placed and not cancelled. */
    long ordered(long product) {
        return of(product).sum();
    }

    private LongAdder of(long product) {
        return ordered.computeIfAbsent(product, key -> new LongAdder());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%,d placed, %,d shipped, %,d cancelled, %,d sold out, %,d told to try again",
                placed.sum(),
                shipped.sum(),
                cancelled.sum(),
                refused.sum(),
                busy.sum());
    }
}
