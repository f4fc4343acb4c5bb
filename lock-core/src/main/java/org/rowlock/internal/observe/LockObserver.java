package org.rowlock.internal.observe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import jdk.jfr.Event;
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
import org.rowlock.LockStrategy;
import org.rowlock.LockWait;
import org.rowlock.RowLockMode;

/**
 * Notifies the listener and the flight recorder, and throws nothing that these throw. Costs next to nothing if neither
 * listens.
 */
public final class LockObserver {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** Notifies nobody. */
    public static final LockObserver NONE = new LockObserver(null, false);

    private final @Nullable LockListener listener;
    private final boolean recording;

    public LockObserver(@Nullable LockListener listener) {
        this(listener, true);
    }

    private LockObserver(@Nullable LockListener listener, boolean recording) {
        this.listener = listener;
        this.recording = recording;
    }

    /**
     * What is to be given to {@link #end}: null when nobody records. The first event of a JVM costs a tenth of a
     * second.
     */
    public @Nullable LockAcquisitionEvent begin() {
        if (!recording || !FlightRecorder.isInitialized()) {
            return null;
        }
        LockAcquisitionEvent event = new LockAcquisitionEvent();
        event.begin();
        return event;
    }

    /** The same for {@link #endAdmission}. */
    public @Nullable AdmissionEvent beginAdmission() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        AdmissionEvent event = new AdmissionEvent();
        event.begin();
        return event;
    }

    public void end(
            @Nullable LockAcquisitionEvent event,
            long startNanos,
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            LockWait wait,
            Outcome outcome) {
        if (event != null && isDue(event)) {
            event.key = keys.isEmpty() ? "" : keys.get(0).toString();
            event.keys = keys.size();
            event.mode = mode.name();
            event.strategy = strategy.name();
            event.lockWait = wait.toString();
            event.outcome = outcome.name();
            event.commit();
        }
        if (listener != null) {
            Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
            LockAcquisition acquisition = new LockAcquisition(keys, mode, strategy, wait, outcome, took);
            tell(listener, told -> told.onAcquisition(acquisition));
        }
    }

    public void endAdmission(
            @Nullable AdmissionEvent event, long startNanos, List<LockKey> keys, RowLockMode mode, boolean admitted) {
        if (event != null && isDue(event)) {
            event.key = keys.get(0).toString();
            event.keys = keys.size();
            event.mode = mode.name();
            event.admitted = admitted;
            event.commit();
        }
        if (listener != null) {
            AdmissionWait wait =
                    new AdmissionWait(keys, mode, admitted, Duration.ofNanos(System.nanoTime() - startNanos));
            tell(listener, told -> told.onAdmission(wait));
        }
    }

    /** Of keys that are about to be locked. */
    public Hold hold(List<LockKey> keys, RowLockMode mode, LockStrategy strategy) {
        return new Hold(this, keys, mode, strategy);
    }

    static @Nullable LockHoldEvent beginHold() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        LockHoldEvent event = new LockHoldEvent();
        event.begin();
        return event;
    }

    void endHold(
            @Nullable LockHoldEvent event,
            long startNanos,
            List<LockKey> keys,
            RowLockMode mode,
            LockStrategy strategy,
            boolean committed) {
        if (event != null && isDue(event)) {
            event.key = keys.get(0).toString();
            event.keys = keys.size();
            event.mode = mode.name();
            event.strategy = strategy.name();
            event.committed = committed;
            event.commit();
        }
        if (listener != null) {
            LockHold hold =
                    new LockHold(keys, mode, strategy, committed, Duration.ofNanos(System.nanoTime() - startNanos));
            tell(listener, told -> told.onHold(hold));
        }
    }

    public static Outcome outcome(Throwable failure) {
        if (failure instanceof LockNotAvailableException) {
            return Outcome.NOT_AVAILABLE;
        }
        return failure instanceof LockDeadlockException ? Outcome.DEADLOCK : Outcome.FAILED;
    }

    private static boolean isDue(Event event) {
        event.end();
        return event.shouldCommit();
    }

    private static void tell(LockListener listener, Consumer<LockListener> call) {
        try {
            call.accept(listener);
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
