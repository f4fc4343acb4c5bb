package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The wait was cancelled by {@code statement_timeout}, {@code pg_cancel_backend} or a cancel request (SQLSTATE 57014).
 * The transaction is aborted, as with {@code FOR UPDATE}.
 */
public final class LockCanceledException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockCanceledException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
