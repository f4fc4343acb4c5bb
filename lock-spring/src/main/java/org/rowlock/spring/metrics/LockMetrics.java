package org.rowlock.spring.metrics;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.rowlock.LockListener.Outcome;
import org.rowlock.spring.LockObservationContext;

/**
 * Meters of locks in Spring transactions. The tags {@code table}, {@code mode}, {@code strategy} and {@code outcome}
 * are the key values of {@link LockObservationContext}.
 * <table> <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>tags</th><th>what</th></tr>
 * <tr><td>{@code rowlock.acquire}</td><td>timer</td><td>table, mode, strategy, outcome, error</td> <td>the time from
 * the call until the lock is acquired or refused, including round trips</td></tr>
 * <tr><td>{@code rowlock.acquire.active}</td><td>long task timer</td><td>table, mode, strategy</td> <td>the calls that
 * wait now, and how long they have waited</td></tr>
 * <tr><td>{@code rowlock.hold}</td><td>timer</td><td>table, strategy</td> <td>the time from the grant of the lock to
 * the end of the transaction</td></tr>
 * <tr><td>{@code rowlock.timeouts}</td><td>counter</td><td>table, strategy</td> <td>waits that timed out at the server,
 * and calls without a wait that did not get the lock</td></tr>
 * <tr><td>{@code rowlock.deadlocks}</td><td>counter</td><td>table, strategy</td> <td>waits that the server ended to
 * break a deadlock</td></tr>
 * <tr><td>{@code rowlock.admission}</td><td>timer</td><td>table, mode, strategy, outcome (ADMITTED or REFUSED),
 * error</td> <td>the time in the JVM's queue; REFUSED if the time in the queue ran out, the queue was full or the
 * thread was interrupted</td></tr>
 * <tr><td>{@code rowlock.admission.active}</td><td>long task timer</td><td>table, mode, strategy</td> <td>the calls
 * that wait in the queues now, and the longest of their waits</td></tr>
 * </table>
 *
 * <p>Micrometer's own handler for meters creates the meters of {@code rowlock.acquire} and {@code rowlock.admission}.
 * This class is the handler that creates the other meters. Spring Boot registers both handlers. Thread-safe.
 */
public final class LockMetrics implements ObservationHandler<LockObservationContext> {
    private final MeterRegistry meters;

    /**
     * Creates a handler that registers its meters in a registry.
     *
     * @param meters the registry
     */
    public LockMetrics(MeterRegistry meters) {
        this.meters = meters;
    }

    /**
     * Creates a registry whose observations produce meters and no traces. Define this registry as a bean if you do not
     * use Spring Boot.
     *
     * @param meters the registry of all meters
     * @return a registry with this handler and Micrometer's own handler
     */
    public static ObservationRegistry observing(MeterRegistry meters) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(meters))
                .observationHandler(new LockMetrics(meters));
        return registry;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext lock && !lock.isQueue();
    }

    @Override
    public void onStart(LockObservationContext lock) {
        lock.onReleased(held -> Timer.builder("rowlock.hold")
                .description("How long locks are held, from the grant to the end of the transaction")
                .tags(tags(lock))
                .register(meters)
                .record(held));
    }

    /**
     * Registers both counters of a table when the table's first call ends. A counter usually begins with the value 0,
     * so that alerts detect the first increment.
     */
    @Override
    public void onStop(LockObservationContext lock) {
        count("rowlock.timeouts", "Waits that timed out at the server", lock, Outcome.NOT_AVAILABLE);
        count("rowlock.deadlocks", "Waits that the server ended to break a deadlock", lock, Outcome.DEADLOCK);
    }

    private void count(String name, String description, LockObservationContext lock, Outcome counted) {
        KeyValue outcome = lock.getLowCardinalityKeyValue("outcome");
        Counter.builder(name)
                .description(description)
                .tags(tags(lock))
                .register(meters)
                .increment(outcome != null && outcome.getValue().equals(counted.name()) ? 1 : 0);
    }

    private static Tags tags(LockObservationContext lock) {
        return Tags.of("table", lock.table(), "strategy", lock.strategy().name());
    }
}
