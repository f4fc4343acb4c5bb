package org.rowlock.internal.observe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockKey;
import org.rowlock.LockListener;
import org.rowlock.LockListener.AdmissionWait;
import org.rowlock.LockListener.LockAcquisition;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.LockListener.LockHold;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockRequest;
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;
import org.rowlock.internal.request.KeyEntries;
import org.rowlock.internal.session.Outcome.Failed;
import org.rowlock.internal.session.Outcome.Held;
import org.rowlock.internal.session.Outcome.Taken;

/**
 * Notifies the listeners and the flight recorder, and throws nothing that these throw. Costs next to nothing if nobody
 * listens.
 */
public final class LockObserver {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final List<LockListener> listeners;

    public LockObserver(List<LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** What is to be given to {@link #end}. */
    public Events.@Nullable OfAcquisition begin() {
        return begun(Events.OfAcquisition::new);
    }

    /** What is to be given to {@link #endAdmission}. */
    public Events.@Nullable OfAdmission beginAdmission() {
        return begun(Events.OfAdmission::new);
    }

    /** Null if nobody records: the first event of a JVM costs a tenth of a second. */
    private static <E extends Events.OfKeys> @Nullable E begun(Supplier<E> event) {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        E begun = event.get();
        begun.begin();
        return begun;
    }

    public void end(
            Events.@Nullable OfAcquisition event,
            long startNanos,
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            LockWait wait,
            Outcome outcome) {
        if (event != null && event.isTaken(keys, mode)) {
            event.strategy = strategy.name();
            event.lockWait = wait.toString();
            event.outcome = outcome.name();
            event.commit();
        }
        if (!listeners.isEmpty()) {
            LockAcquisition acquisition = new LockAcquisition(keys, mode, strategy, wait, outcome, since(startNanos));
            tell(told -> told.onAcquisition(acquisition));
        }
    }

    /** Reports a passage. The keys are put in the order of the queues only if somebody listens. */
    public void endAdmission(
            Events.@Nullable OfAdmission event, long startNanos, LockRequest request, boolean admitted) {
        if (event == null && listeners.isEmpty()) {
            return;
        }
        List<LockKey> keys = KeyEntries.ordered(request.keys());
        RowLockMode mode = request.mode();
        if (event != null && event.isTaken(keys, mode)) {
            event.admitted = admitted;
            event.commit();
        }
        if (!listeners.isEmpty()) {
            AdmissionWait wait = new AdmissionWait(keys, mode, admitted, since(startNanos));
            tell(told -> told.onAdmission(wait));
        }
    }

    public Hold hold(List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        return new Hold(keys, mode, strategy);
    }

    /** The time a transaction holds its keys: reported at the end, if it ever began. Not thread-safe. */
    public final class Hold {
        private final List<LockKey> keys;
        private final RowLockMode mode;
        private final LockStrategy strategy;
        private Events.@Nullable OfHold event;
        private boolean held;
        private long startNanos;

        Hold(List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
            this.keys = keys;
            this.mode = mode;
            this.strategy = strategy;
        }

        public void begins() {
            event = begun(Events.OfHold::new);
            held = true;
            startNanos = System.nanoTime();
        }

        public void ends(boolean committed) {
            if (!held) {
                return;
            }
            held = false;
            if (event != null && event.isTaken(keys, mode)) {
                event.strategy = strategy.name();
                event.committed = committed;
                event.commit();
            }
            if (!listeners.isEmpty()) {
                LockHold hold = new LockHold(keys, mode, strategy, committed, since(startNanos));
                tell(told -> told.onHold(hold));
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

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    private void tell(Consumer<LockListener> call) {
        for (LockListener each : listeners) {
            try {
                call.accept(each);
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
}
