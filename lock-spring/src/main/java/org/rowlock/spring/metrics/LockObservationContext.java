package org.rowlock.spring.metrics;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockOutcome;
import org.rowlock.spring.LockInstrumentation.Acquisition;

/**
 * What an {@code ObservationHandler}, {@code ObservationFilter} or {@code ObservationConvention} of the application gets
 * to see of an acquisition. Not thread-safe.
 */
public final class LockObservationContext extends Observation.Context {
    private final Acquisition acquisition;
    private @Nullable LockOutcome outcome;

    LockObservationContext(Acquisition acquisition) {
        this.acquisition = acquisition;
    }

    /**
     * What is to be locked.
     *
     * @return keys, mode and strategy
     */
    public Acquisition acquisition() {
        return acquisition;
    }

    /**
     * How it ended.
     *
     * @return the outcome; null while it waits
     */
    public @Nullable LockOutcome outcome() {
        return outcome;
    }

    void end(LockOutcome ended) {
        outcome = ended;
    }
}
