package org.rowlock.spring.metrics;

import org.jspecify.annotations.Nullable;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockOutcome;

/** How acquisitions end. */
final class LockOutcomes {
    private LockOutcomes() {}

    /** Of what was returned: false if and only if it was a try, and in vain. */
    static LockOutcome ofResult(@Nullable Object result) {
        return Boolean.FALSE.equals(result) ? LockOutcome.NOT_AVAILABLE : LockOutcome.ACQUIRED;
    }

    /** Of Spring's exception, whose cause is Rowlock's. */
    static LockOutcome ofFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LockNotAvailableException) {
                return LockOutcome.NOT_AVAILABLE;
            }
            if (cause instanceof LockDeadlockException) {
                return LockOutcome.DEADLOCK;
            }
        }
        return LockOutcome.FAILED;
    }
}
