package org.rowlock.spring.internal.call;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;
import org.rowlock.RowAbsentException;
import org.rowlock.spring.LockObservationContext;

/**
 * The observation of one lock, or of one wait in the queue. Even if a handler throws an exception, the caller gets the
 * result of the lock.
 */
final class LockObservation {
    private static final Log LOG = LogFactory.getLog(LockObservation.class);

    private final LockObservationContext context;
    private Observation observation = Observation.NOOP;
    private Observation.Scope scope = Observation.Scope.NOOP;

    private LockObservation(LockObservationContext context) {
        this.context = context;
    }

    static <T> T around(ObservationRegistry registry, @Nullable LockObservationContext context, Supplier<T> lock) {
        if (context == null) {
            return lock.get();
        }
        LockObservation observed = new LockObservation(context);
        tell(() -> observed.begin(registry));
        T result;
        try {
            result = lock.get();
        } catch (Throwable e) {
            // Every Throwable is caught, because a mapper in Kotlin may throw checked exceptions.
            tell(() -> observed.end(outcome(e), e));
            throw e;
        }
        tell(() -> observed.end(result instanceof LockResult locked ? outcome(locked) : Outcome.ACQUIRED, null));
        return result;
    }

    private static Outcome outcome(LockResult result) {
        return switch (result.state()) {
            case HELD -> Outcome.ACQUIRED;
            case TAKEN -> Outcome.NOT_AVAILABLE;
            case ABSENT -> Outcome.ABSENT;
        };
    }

    /** Observes the lock until its transaction ends. */
    static void untilReleased(
            ObservationRegistry registry, @Nullable LockObservationContext context, SpringTransaction transaction) {
        if (context != null) {
            tell(() -> {
                Observation hold = Observation.createNotStarted("rowlock.hold", registry)
                        .contextualName("hold " + context.table())
                        .lowCardinalityKeyValue("table", context.table())
                        .lowCardinalityKeyValue("strategy", context.strategy().name())
                        .start();
                transaction.atEnd(() -> tell(hold::stop));
            });
        }
    }

    private void begin(ObservationRegistry registry) {
        observation =
                Observation.start(context.isQueue() ? "rowlock.admission" : "rowlock.acquire", () -> context, registry);
        scope = observation.openScope();
    }

    private void end(Outcome outcome, @Nullable Throwable failure) {
        boolean admitted = outcome == Outcome.ACQUIRED;
        observation.lowCardinalityKeyValue(
                "outcome", !context.isQueue() ? outcome.name() : admitted ? "ADMITTED" : "REFUSED");
        Observation.Scope opened = scope;
        try (opened) {
            if (failure != null) {
                observation.error(failure);
            }
        } finally {
            observation.stop();
        }
    }

    private static Outcome outcome(Throwable failure) {
        if (failure.getCause() instanceof LockNotAvailableException) {
            return Outcome.NOT_AVAILABLE;
        }
        if (failure.getCause() instanceof RowAbsentException) {
            return Outcome.ABSENT;
        }
        return failure.getCause() instanceof LockDeadlockException ? Outcome.DEADLOCK : Outcome.FAILED;
    }

    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn("An observer of locks threw an exception; the lock is not affected", e);
        }
    }
}
