package org.rowlock.spring.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Map;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.spring.LockInstrumentation;

/**
 * Meters of locks in Spring transactions. The tags {@code table}, {@code mode}, {@code strategy} and {@code outcome}
 * are those of {@link LockObservations}.
 *
 * <table> <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>tags</th><th>what</th></tr>
 * <tr><td>{@code rowlock.acquire}</td><td>timer</td><td>table, mode, strategy, outcome, error</td>
 *     <td>the wait: from the call until the lock is held or refused, round trips included</td></tr>
 * <tr><td>{@code rowlock.acquire.active}</td><td>long task timer</td><td>table, mode, strategy</td>
 *     <td>the calls that wait now, and since when</td></tr>
 * <tr><td>{@code rowlock.hold}</td><td>timer</td><td>table, strategy</td>
 *     <td>from the grant to the end of the transaction</td></tr>
 * <tr><td>{@code rowlock.timeouts}</td><td>counter</td><td>table, strategy</td>
 *     <td>waits that ran out on the server, tries in vain included</td></tr>
 * <tr><td>{@code rowlock.deadlocks}</td><td>counter</td><td>table, strategy</td>
 *     <td>waits that the server ended to break a deadlock</td></tr>
 * <tr><td>{@code rowlock.admission}</td><td>timer</td><td>table, mode, strategy, outcome (ADMITTED or REFUSED),
 * error</td>
 *     <td>the time in the queue of the JVM; REFUSED if the wait ran out there, the queue was full or the thread was
 *     interrupted</td></tr>
 * <tr><td>{@code rowlock.admission.active}</td><td>long task timer</td><td>table, mode, strategy</td>
 *     <td>the calls that stand in the queues now, and for how long the first of them</td></tr>
 * </table>
 *
 * <p>Those of {@code rowlock.acquire} and {@code rowlock.admission} come from the observations: where the application
 * has an ObservationRegistry, from its handlers for meters, which Spring Boot registers. Thread-safe.
 */
public final class LockMetrics implements LockInstrumentation {
    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "rowlock.acquire", "The wait for a lock, from the call until it is held or refused",
            "rowlock.acquire.active", "The calls that wait for a lock now",
            "rowlock.hold", "How long locks are held, from the grant to the end of the transaction",
            "rowlock.timeouts", "Waits for a lock that ran out on the server, tries in vain included",
            "rowlock.deadlocks", "Waits for a lock that the server ended to break a deadlock",
            "rowlock.admission", "The time in the queue of the JVM for a key",
            "rowlock.admission.active", "The calls that stand in the queues of the JVM now");

    private final MeterRegistry meters;
    private final LockObservations observations;

    /**
     * Meters without an ObservationRegistry of the application.
     *
     * @param meters where they are registered
     */
    public LockMetrics(MeterRegistry meters) {
        this(meters, observedBy(meters));
    }

    /**
     * Meters, and observations for an ObservationRegistry.
     *
     * @param meters where all but those of observations are registered
     * @param observations where observations are reported; has a handler for meters
     */
    public LockMetrics(MeterRegistry meters, ObservationRegistry observations) {
        this(meters, new LockObservations(observations));
    }

    /**
     * Meters, and observations that are given.
     *
     * @param meters where all but those of observations are registered
     * @param observations of a registry that has a handler for meters
     */
    public LockMetrics(MeterRegistry meters, LockObservations observations) {
        this.meters = meters;
        this.observations = observations;
    }

    private static ObservationRegistry observedBy(MeterRegistry meters) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        return registry;
    }

    @Override
    public Begun begin(Acquisition acquisition) {
        Begun observed = observations.begin(acquisition);
        return (outcome, failure) -> {
            try {
                count(acquisition, outcome);
            } finally {
                observed.end(outcome, failure);
            }
        };
    }

    /** The counters of a table exist, with 0, from its first acquisition on, so that alerts see them rise. */
    private void count(Acquisition acquisition, Outcome outcome) {
        String[] tags = tags(acquisition);
        counter("rowlock.timeouts", tags).increment(outcome == Outcome.NOT_AVAILABLE ? 1 : 0);
        counter("rowlock.deadlocks", tags).increment(outcome == Outcome.DEADLOCK ? 1 : 0);
    }

    @Override
    public Begun beginQueue(Acquisition acquisition) {
        return observations.beginQueue(acquisition);
    }

    @Override
    public void released(Acquisition acquisition, Duration held) {
        Timer.builder("rowlock.hold")
                .description(DESCRIPTIONS.get("rowlock.hold"))
                .tags(tags(acquisition))
                .register(meters)
                .record(held);
    }

    private Counter counter(String name, String... tags) {
        return Counter.builder(name)
                .description(DESCRIPTIONS.get(name))
                .tags(tags)
                .register(meters);
    }

    /**
     * Describes the meters that come from observations, which have no description of their own.
     *
     * @return a filter for the registry; with Spring Boot it is a bean
     */
    public static MeterFilter descriptions() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                String description = id.getDescription() == null ? DESCRIPTIONS.get(id.getName()) : null;
                return description == null
                        ? id
                        : new Meter.Id(
                                id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), description, id.getType());
            }
        };
    }

    private static String[] tags(Acquisition acquisition) {
        return new String[] {
            "table", acquisition.table(), "strategy", acquisition.strategy().name()
        };
    }
}
