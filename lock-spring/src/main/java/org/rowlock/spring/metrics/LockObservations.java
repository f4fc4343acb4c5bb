package org.rowlock.spring.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.spring.LockInstrumentation;

/**
 * An observation {@code rowlock.acquire} around every acquisition in a Spring transaction, and one
 * {@code rowlock.admission} around every passage through the queue of the JVM, for traces and, with a handler for
 * meters, timers of those that are over and of those that wait. Their low-cardinality key values are
 *
 * <ul>
 *   <li>{@code table}: that of the first key; {@code none} for a key that is no row
 *   <li>{@code mode}: a {@link org.rowlock.RowLockMode}
 *   <li>{@code strategy}: the {@link org.rowlock.LockStrategy} of that table
 *   <li>{@code outcome}, at the end: a {@link Outcome}; of the queue {@code ADMITTED} or {@code REFUSED}
 * </ul>
 *
 * and the high-cardinality one {@code keys}, how many there are; at the server also OpenTelemetry's
 * {@code db.system.name}, {@code db.operation.name} (the mode) and {@code db.collection.name} (the table). The span is
 * a client's. An id is in neither, unless it is asked for: then the high-cardinality value {@code key} is the first
 * key. Thread-safe.
 */
public final class LockObservations implements LockInstrumentation {
    private final ObservationRegistry registry;
    private final boolean ids;

    /**
     * Observations of a registry, without ids.
     *
     * @param registry where they are reported
     */
    public LockObservations(ObservationRegistry registry) {
        this(registry, false);
    }

    /**
     * Observations of a registry.
     *
     * @param registry where they are reported
     * @param ids whether the first key, with its id, is a high-cardinality value
     */
    public LockObservations(ObservationRegistry registry, boolean ids) {
        this.registry = registry;
        this.ids = ids;
    }

    @Override
    public <T> T queue(Acquisition acquisition, Supplier<T> queue) {
        return observe(new LockObservationContext(acquisition, true, ids), queue);
    }

    @Override
    public <T> T acquire(Acquisition acquisition, Supplier<T> lock) {
        return observe(new LockObservationContext(acquisition, false, ids), lock);
    }

    // What observe returns is null exactly if what it runs returns null.
    @SuppressWarnings("NullAway")
    private <T> T observe(LockObservationContext context, Supplier<T> lock) {
        return Observation.createNotStarted(
                        null,
                        context.isQueue() ? LockObservationConvention.QUEUE : LockObservationConvention.DEFAULT,
                        () -> context,
                        registry)
                .observe(() -> observed(context, lock));
    }

    /** Within the observation, as the outcome has to be there when it stops. */
    private static <T> T observed(LockObservationContext context, Supplier<T> lock) {
        try {
            T result = lock.get();
            context.end(LockOutcomes.ofResult(result));
            return result;
        } catch (RuntimeException | Error e) {
            context.end(LockOutcomes.ofFailure(e));
            throw e;
        }
    }
}
