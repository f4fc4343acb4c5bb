package org.rowlock.spring;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

/**
 * The context that handlers, filters and conventions of Micrometer get for a lock in a Spring transaction. If there is
 * an {@code ObservationRegistry} bean, Rowlock makes two observations with this context: {@code rowlock.acquire} covers
 * each acquisition at the server except claims, and {@code rowlock.admission} covers each wait in the admission queue
 * of the JVM. Both observations run on the thread that locks. The observations produce traces and, with Micrometer's
 * {@code DefaultMeterObservationHandler}, timers of completed and of waiting calls. Spring Boot registers this handler.
 * The low-cardinality key values of an observation are
 * <ul>
 *   <li>{@code table}: the table of the first key; {@code none} for a key that is not a row
 *   <li>{@code mode}: a {@link RowLockMode}
 *   <li>{@code strategy}: the {@link LockStrategy} of the first key's table
 *   <li>{@code outcome}, at the end: a {@link org.rowlock.LockListener.Outcome}, but {@code ADMITTED} or {@code
 *       REFUSED} in {@code rowlock.admission}
 * </ul> The high-cardinality key value is {@code keys}, the number of keys. No key value contains the id of a row; the
 * message of an error may contain the id. To add the id to spans, define an {@code ObservationFilter} that reads {@link
 * #keys}. If a handler throws an exception, Rowlock logs it, and the lock is not affected. Not thread-safe.
 *
 * <p>A third observation, {@code rowlock.hold}, covers the time from the grant of a lock to the end of the transaction.
 * This observation has an {@code Observation.Context} with the low-cardinality key values {@code table} and {@code
 * strategy}.
 */
public final class LockObservationContext extends Observation.Context {
    private final boolean queue;
    private final List<LockKey> keys;
    private final LockStrategy strategy;

    /**
     * Creates a context, as Rowlock does for every observation.
     *
     * @param queue true for a wait in the queue of the JVM, false for an acquisition at the server
     * @param keys the keys to lock, at least one
     * @param mode the lock mode; the strongest mode if the keys have different modes
     * @param strategy the strategy of the first key's table
     */
    public LockObservationContext(boolean queue, List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        this.queue = queue;
        this.keys = List.copyOf(keys);
        this.strategy = strategy;
        setContextualName((queue ? "queue " : "lock ") + table());
        // The outcome is added only at the end, because it must not be a tag of the long task timer of waiting calls.
        addLowCardinalityKeyValues(KeyValues.of("table", table(), "mode", mode.name(), "strategy", strategy.name()));
        addHighCardinalityKeyValues(KeyValues.of("keys", String.valueOf(keys.size())));
    }

    /** {@return true for a wait in the queue of the JVM, false for an acquisition at the server} */
    public boolean isQueue() {
        return queue;
    }

    /** {@return the keys to lock, at least one} */
    public List<LockKey> keys() {
        return keys;
    }

    /** {@return the strategy of the first key's table} */
    public LockStrategy strategy() {
        return strategy;
    }

    /** {@return the table of the first key; {@code none} for a key that is not a row} */
    public String table() {
        return keys.get(0) instanceof LockKey.Row row ? row.table() : "none";
    }
}
