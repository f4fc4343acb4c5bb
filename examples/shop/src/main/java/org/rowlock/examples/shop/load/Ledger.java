package org.rowlock.examples.shop.load;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Records the answers that the clients received, for a comparison with the shop's books. Thread-safe. */
final class Ledger {
    final LongAdder placed = new LongAdder();
    final LongAdder shipped = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    /** The requests that were refused because a lock was not available in time. */
    final LongAdder busy = new LongAdder();
    /**
     * The requests that were refused because the stock was too small, or the order was already shipped or cancelled.
     */
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

    /** Records a failure that must not happen: the outcome is unknown, or the shop is broken. */
    void failed(String what) {
        failures.add(what);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns how much of a product is in orders that were placed and not cancelled. */
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
