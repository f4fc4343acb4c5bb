package org.rowlock.internal.observe;

import java.time.Duration;
import java.util.List;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.RowAbsentException;
import org.rowlock.RowLockMode;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.Outcome.NotAvailable;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.value.EndedEvent;
import org.rowlock.internal.value.LockWait;

/** Notifies the listeners and the flight recorder. Costs almost nothing without a listener or recording. */
public record LockObserver(List<LockListener> listeners) {
    public record Begun(Kind kind, Events.@Nullable OfKeys event, long startNanos) {}

    /**
     * Begins an observation. Returns null if there is neither a listener nor a flight recording. Without a recording no
     * JFR event is created, because the first event of a JVM takes a tenth of a second.
     */
    public @Nullable Begun begin(Kind kind) {
        Events.OfKeys event = FlightRecorder.isInitialized() ? Events.of(kind) : null;
        if (event != null) {
            event.begin();
        }
        return event == null && listeners.isEmpty() ? null : new Begun(kind, event, System.nanoTime());
    }

    public void end(
            @Nullable Begun begun,
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            LockWait wait,
            Outcome outcome) {
        if (begun == null) {
            return;
        }
        Duration took = Duration.ofNanos(System.nanoTime() - begun.startNanos);
        EndedEvent ended = new EndedEvent(begun.kind, keys, mode, strategy, wait, outcome, took);
        if (begun.event != null) {
            begun.event.end(ended);
        }
        for (LockListener each : listeners) {
            try {
                each.onEvent(ended);
            } catch (Throwable e) {
                // An Error is caught too. To the caller, any exception would mean that the lock is not held, or that
                // nothing is stored.
                try {
                    Log.warn("A LockListener threw an exception; the lock is not affected", e);
                } catch (Throwable unsaid) {
                    // The logger and the toString() of the exception may be code of the application, and may throw an
                    // exception too.
                }
            }
        }
    }

    /** Reports that a call did not join a group, for example because of its statement, its table or its session. */
    public void alone(LockKey key, String why) {
        if (FlightRecorder.isInitialized()) {
            Events.alone(key, why);
        }
    }

    public static Outcome outcome(org.rowlock.internal.sql.Outcome outcome) {
        if (outcome instanceof Held) {
            return Outcome.ACQUIRED;
        }
        if (outcome instanceof NotAvailable) {
            return Outcome.NOT_AVAILABLE;
        }
        return outcome instanceof Failed failed && failed.meaning() != null
                ? outcome(failed.meaning())
                : Outcome.FAILED;
    }

    public static Outcome outcome(Throwable failure) {
        if (failure instanceof LockNotAvailableException) {
            return Outcome.NOT_AVAILABLE;
        }
        if (failure instanceof RowAbsentException) {
            return Outcome.ABSENT;
        }
        return failure instanceof LockDeadlockException ? Outcome.DEADLOCK : Outcome.FAILED;
    }
}
