package org.rowlock.spring.metrics;

import org.jspecify.annotations.Nullable;
import org.rowlock.LockAcquisition.Outcome;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockNotAvailableException;

/** How acquisitions end. */
final class LockOutcomes {
    private LockOutcomes() {}

    /** Of what was returned: false if and only if it was a try, and in vain. */
    static Outcome ofResult(@Nullable Object result) {
        return Boolean.FALSE.equals(result) ? Outcome.NOT_AVAILABLE : Outcome.ACQUIRED;
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
