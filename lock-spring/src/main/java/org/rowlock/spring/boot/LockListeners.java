package org.rowlock.spring.boot;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockListener;
import org.rowlock.LockListener.AdmissionWait;
import org.rowlock.LockListener.LockAcquisition;
import org.rowlock.LockListener.LockHold;

/**
 * Notifies several listeners, also those behind one that throws.
 *
 * @param listeners in their order
 */
record LockListeners(List<LockListener> listeners) implements LockListener {
    @Override
    public void onAcquisition(LockAcquisition acquisition) {
        tell(listener -> listener.onAcquisition(acquisition));
    }

    @Override
    public void onAdmission(AdmissionWait wait) {
        tell(listener -> listener.onAdmission(wait));
    }

    @Override
    public void onHold(LockHold hold) {
        tell(listener -> listener.onHold(hold));
    }

    private void tell(Consumer<LockListener> call) {
        @Nullable RuntimeException first = null;
        for (LockListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
