package org.rowlock.spring.metrics;

import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockListener.LockAcquisition.Outcome;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockResult;

/** How acquisitions end. */
final class LockOutcomes {
    private LockOutcomes() {}

    /** Of what was returned: a try in vain says so. */
    static Outcome ofResult(@Nullable Object result) {
        return result instanceof LockResult tried && tried.isTaken() ? Outcome.NOT_AVAILABLE : Outcome.ACQUIRED;
    }

    /** Of Spring's exception, whose cause is Rowlock's. */
    static Outcome ofFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockNotAvailableException) {
                return Outcome.NOT_AVAILABLE;
            }
            if (cause instanceof LockDeadlockException) {
                return Outcome.DEADLOCK;
            }
        }
        return Outcome.FAILED;
    }
}
