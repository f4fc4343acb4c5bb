package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The wait was ended from outside: {@code statement_timeout}, {@code pg_cancel_backend} or a cancel request (SQLSTATE
 * 57014). The transaction is aborted, as with {@code FOR UPDATE}.
 */
public final class LockCanceledException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public LockCanceledException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
