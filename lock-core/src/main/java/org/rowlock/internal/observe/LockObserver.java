package org.rowlock.internal.observe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Taken;

/**
 * Notifies the listeners and the flight recorder, and throws nothing that these throw. Costs next to nothing if nobody
 * listens.
 */
public record LockObserver(List<LockListener> listeners) {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** What has begun, and is given to {@link #end}. */
    public record Begun(Kind kind, @Nullable OfKeys event, long startNanos) {}

    /** Null if nobody listens or records. Looks first, as the first event of a JVM costs a tenth of a second. */
    public @Nullable Begun begin(Kind kind) {
        OfKeys event = FlightRecorder.isInitialized() ? event(kind) : null;
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
        LockEvent ended = new LockEvent(begun.kind, keys, mode, strategy, wait, outcome, took);
        if (begun.event != null) {
            begun.event.end(ended);
        }
        for (LockListener each : listeners) {
            try {
                each.onEvent(ended);
            } catch (Throwable e) {
                // Throwable, as an Error must not make what is locked or stored look as if it were not.
                try {
                    LOG.log(Level.WARNING, "A LockListener threw; the lock is not affected", e);
                } catch (Throwable unsaid) {
                    // Its text, or the logger, is the caller's code as well.
                }
            }
        }
    }

    public static Outcome outcome(org.rowlock.internal.session.Outcome outcome) {
        if (outcome instanceof Held) {
            return Outcome.ACQUIRED;
        }
        if (outcome instanceof Taken) {
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
        return failure instanceof LockDeadlockException ? Outcome.DEADLOCK : Outcome.FAILED;
    }

    static OfKeys event(Kind kind) {
        return switch (kind) {
            case ADMISSION -> new OfAdmission();
            case ACQUISITION -> new OfAcquisition();
            case HOLD -> new OfHold();
        };
    }

    /** The JFR events. Each lasts as long as what it reports. */
    @Category("Rowlock")
    @StackTrace(false)
    abstract static class OfKeys extends Event {
        @Label("Key")
        @Description("The first key")
        String key = "";

        @Label("Keys")
        @Description("The number of distinct keys")
        int keys;

        @Label("Mode")
        String mode = "";

        @Label("Strategy")
        String strategy = "";

        @Label("Wait")
        String lockWait = "";

        @Label("Outcome")
        String outcome = "";

        /** Ends it. If no recording takes it, no text is made of the key. */
        final void end(LockEvent of) {
            end();
            if (shouldCommit()) {
                key = of.keys().isEmpty() ? "" : of.keys().get(0).toString();
                keys = of.keys().size();
                mode = of.mode().name();
                strategy = of.strategy().name();
                lockWait = of.lockWait().toString();
                outcome = of.outcome().name();
                commit();
            }
        }
    }

    @Name("org.rowlock.LockAcquisition")
    @Label("Lock acquisition")
    @Description("An attempt to lock one or more keys")
    static final class OfAcquisition extends OfKeys {}

    @Name("org.rowlock.Admission")
    @Label("Admission")
    @Description("A passage through the in-JVM queue of one or more keys")
    static final class OfAdmission extends OfKeys {}

    @Name("org.rowlock.LockHold")
    @Label("Lock hold")
    @Description("One or more keys that a transaction held")
    static final class OfHold extends OfKeys {}
}
