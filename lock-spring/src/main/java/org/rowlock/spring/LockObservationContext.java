package org.rowlock.spring;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/**
 * What handlers, filters and conventions of Micrometer see of a lock in a Spring transaction. If there is an
 * {@code ObservationRegistry} bean, there is an observation {@code rowlock.acquire} around every acquisition at the
 * server, and one {@code rowlock.admission} around every passage through the queue of the JVM, on the thread that
 * locks: for traces and, with a handler for meters, timers of those that are over and of those that wait. Their
 * low-cardinality key values are
 *
 * <ul>
 *   <li>{@code table}: that of the first key; {@code none} for a key that is no row
 *   <li>{@code mode}: a {@link RowLockMode}
 *   <li>{@code strategy}: the {@link LockStrategy} of that table
 *   <li>{@code outcome}, at the end: a {@link org.rowlock.LockListener.Outcome}; of the queue
 *       {@code ADMITTED} or {@code REFUSED}
 * </ul>
 *
 * and the high-cardinality one {@code keys}, how many there are; at the server also OpenTelemetry's
 * {@code db.system.name}, {@code db.operation.name} (the mode) and {@code db.collection.name} (the table). The span is
 * a client's. An id is in neither. What a handler throws is logged, and the lock is not affected. Not thread-safe.
 */
public final class LockObservationContext extends SenderContext<Object> {
    private final boolean queue;
    private final List<LockKey> keys;
    private final LockStrategy strategy;
    private final List<Consumer<Duration>> released = new ArrayList<>(1);

    /**
     * A context, as Rowlock makes one for every observation.
     *
     * @param queue whether it is the passage through the queue
     * @param keys what is to be locked, at least one
     * @param mode how strongly; the strongest where the keys have several
     * @param strategy that of the first key's table
     */
    public LockObservationContext(boolean queue, List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        // So that its span is a client's; there is nothing that takes a trace to the server.
        super((nothing, name, value) -> {}, Kind.CLIENT);
        this.queue = queue;
        this.keys = List.copyOf(keys);
        this.strategy = strategy;
        setCarrier(this.keys);
        setContextualName((queue ? "queue " : "lock ") + table());
        // Without the outcome: the long task timer of those that wait has no such tag.
        addLowCardinalityKeyValues(KeyValues.of("table", table(), "mode", mode.name(), "strategy", strategy.name()));
        addHighCardinalityKeyValues(KeyValues.of("keys", String.valueOf(keys.size())));
        if (!queue) {
            // As OpenTelemetry names them; of a span alone, as the meters have tags of their own for them.
            addHighCardinalityKeyValues(KeyValues.of(
                    "db.system.name",
                    "postgresql",
                    "db.operation.name",
                    mode.name().replace('_', ' ')));
            if (keys.get(0) instanceof LockKey.Row row) {
                addHighCardinalityKeyValues(KeyValues.of("db.collection.name", row.table()));
            }
        }
    }

    /** {@return true for the passage through the queue of the JVM, false for the acquisition at the server} */
    public boolean isQueue() {
        return queue;
    }

    /** {@return what is to be locked, at least one} */
    public List<LockKey> keys() {
        return keys;
    }

    /** {@return the strategy of the first key's table} */
    public LockStrategy strategy() {
        return strategy;
    }

    /** {@return the table of the first key; {@code none} for a key that is no row} */
    public String table() {
        return keys.get(0) instanceof LockKey.Row row ? row.table() : "none";
    }

    /**
     * Registers what is to be notified when the transaction ends, and the lock with it; not if nothing was locked.
     *
     * @param listener is given the time from the grant to the end of the transaction
     */
    public void onReleased(Consumer<Duration> listener) {
        released.add(listener);
    }

    /**
     * Notifies those who registered.
     *
     * @param held from the grant to the end of the transaction
     */
    public void released(Duration held) {
        released.forEach(listener -> listener.accept(held));
    }
}
