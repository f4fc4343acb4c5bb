package org.rowlock.spring.metrics;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.rowlock.LockKey;
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
    public Begun beginQueue(Acquisition acquisition) {
        return begin(acquisition, true);
    }

    @Override
    public Begun begin(Acquisition acquisition) {
        return begin(acquisition, false);
    }

    private Begun begin(Acquisition acquisition, boolean queue) {
        if (registry.isNoop()) {
            return Begun.NOTHING;
        }
        Observation observation = Observation.createNotStarted(
                        queue ? "rowlock.admission" : "rowlock.acquire",
                        () -> new LockObservationContext(acquisition, queue),
                        registry)
                .contextualName((queue ? "queue " : "lock ") + acquisition.table())
                // Without the outcome: the long task timer of those that wait has no such tag.
                .lowCardinalityKeyValues(KeyValues.of(
                        "table", acquisition.table(),
                        "mode", acquisition.mode().name(),
                        "strategy", acquisition.strategy().name()))
                .highCardinalityKeyValues(highCardinality(acquisition, queue))
                .start();
        Observation.Scope scope = observation.openScope();
        return (outcome, failure) -> {
            observation.lowCardinalityKeyValue("outcome", queue ? ofQueue(outcome) : outcome.name());
            try (scope) {
                if (failure != null) {
                    observation.error(failure);
                }
            } finally {
                observation.stop();
            }
        };
    }

    private static String ofQueue(Outcome outcome) {
        return outcome == Outcome.ACQUIRED ? "ADMITTED" : "REFUSED";
    }

    private KeyValues highCardinality(Acquisition acquisition, boolean queue) {
        KeyValues values =
                KeyValues.of("keys", String.valueOf(acquisition.keys().size()));
        if (!queue) {
            // As OpenTelemetry names them; of a span alone, as the meters have tags of their own for them.
            values = values.and(
                    "db.system.name",
                    "postgresql",
                    "db.operation.name",
                    acquisition.mode().name().replace('_', ' '));
            if (acquisition.keys().get(0) instanceof LockKey.Row) {
                values = values.and("db.collection.name", acquisition.table());
            }
        }
        return ids ? values.and("key", acquisition.keys().get(0).toString()) : values;
    }
}
