package org.rowlock.spring.metrics;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.rowlock.LockKey;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.spring.LockInstrumentation.Acquisition;

/**
 * Names the observation of an acquisition and its key values, see {@link LockObservations}. A
 * {@link GlobalObservationConvention} for {@link LockObservationContext} takes its place.
 */
class LockObservationConvention implements ObservationConvention<LockObservationContext> {
    static final LockObservationConvention DEFAULT = new LockObservationConvention();
    static final LockObservationConvention QUEUE = new OfQueue();

    @Override
    public String getName() {
        return "rowlock.acquire";
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return "lock " + context.acquisition().table();
    }

    /** Without the outcome as long as there is none: the long task timer of those that wait has no such tag. */
    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        Acquisition acquisition = context.acquisition();
        KeyValues values = KeyValues.of(
                "table", acquisition.table(),
                "mode", acquisition.mode().name(),
                "strategy", acquisition.strategy().name());
        Outcome outcome = context.outcome();
        return outcome == null ? values : values.and("outcome", outcomeOf(context, outcome));
    }

    private static String outcomeOf(LockObservationContext context, Outcome outcome) {
        if (!context.isQueue()) {
            return outcome.name();
        }
        return outcome == Outcome.ACQUIRED ? "ADMITTED" : "REFUSED";
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        Acquisition acquisition = context.acquisition();
        KeyValues values =
                KeyValues.of("keys", String.valueOf(acquisition.keys().size()));
        if (!context.isQueue()) {
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
        return context.hasIds() ? values.and("key", acquisition.keys().get(0).toString()) : values;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }

    /** That of the queue of the JVM. */
    private static final class OfQueue extends LockObservationConvention {
        @Override
        public String getName() {
            return "rowlock.admission";
        }

        @Override
        public String getContextualName(LockObservationContext context) {
            return "queue " + context.acquisition().table();
        }
    }
}
