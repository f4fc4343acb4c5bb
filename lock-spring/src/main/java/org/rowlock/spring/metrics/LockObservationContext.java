package org.rowlock.spring.metrics;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import org.rowlock.spring.LockInstrumentation.Acquisition;

/**
 * What an {@code ObservationHandler}, {@code ObservationFilter} or {@code ObservationConvention} of the application
 * gets to see of an acquisition. Not thread-safe.
 */
public final class LockObservationContext extends SenderContext<Object> {
    private final Acquisition acquisition;
    private final boolean queue;

    LockObservationContext(Acquisition acquisition, boolean queue) {
        // So that its span is a client's; there is nothing that takes a trace to the server.
        super((nothing, name, value) -> {}, Kind.CLIENT);
        setCarrier(acquisition);
        this.acquisition = acquisition;
        this.queue = queue;
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
     * Whether it is the passage through the queue of the JVM, in front of the transaction.
     *
     * @return true for the queue, false for the acquisition on the server
     */
    public boolean isQueue() {
        return queue;
    }
}
