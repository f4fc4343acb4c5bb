package org.rowlock.spring.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.rowlock.LockOutcome;
import org.rowlock.spring.LockInstrumentation;

/**
 * An observation {@code rowlock.acquire} around every acquisition in a Spring transaction, for traces and, with a handler
 * for meters, a timer. Its low-cardinality key values are
 *
 * <ul>
 *   <li>{@code table}: that of the first key; {@code none} for a key that is no row
 *   <li>{@code mode}: a {@link org.rowlock.RowLockMode}
 *   <li>{@code strategy}: the {@link org.rowlock.LockStrategy} of that table
 *   <li>{@code outcome}, at the end: a {@link LockOutcome}
 * </ul>
 *
 * and its high-cardinality ones {@code key}, the first key, and {@code keys}, how many there are. Thread-safe.
 */
public final class LockObservations implements LockInstrumentation {
    private final ObservationRegistry registry;

    /**
     * Observations of a registry.
     *
     * @param registry where they are reported
     */
    public LockObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    // What observe returns is null exactly if what it runs returns null.
    @SuppressWarnings("NullAway")
    @Override
    public <T> T acquire(Acquisition acquisition, Supplier<T> lock) {
        LockObservationContext context = new LockObservationContext(acquisition);
        return Observation.createNotStarted(null, LockObservationConvention.DEFAULT, () -> context, registry)
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
