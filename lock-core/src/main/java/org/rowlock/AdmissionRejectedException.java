package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The admission queue of a key has as many waiters as it may (default 10,000). No connection was borrowed.
 *
 * @see RowLocksBuilder#maxWaitersPerKey(int)
 */
public final class AdmissionRejectedException extends RowlockException {
    private static final long serialVersionUID = 1;

    AdmissionRejectedException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
