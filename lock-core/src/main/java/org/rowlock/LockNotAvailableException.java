package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * Another transaction holds the lock, and the request has {@link LockRequest#noWait()} or its wait timed out (SQLSTATE
 * 55P03). This exception is also thrown if the admission queue of the key is {@linkplain
 * RowLocksBuilder#maxWaitersPerKey full}.
 *
 * <p>No new lock is held, and the transaction stays usable with its earlier locks and changes. The transaction is
 * aborted only if the session's own {@code lock_timeout} ended the wait, as with {@code FOR UPDATE}.
 */
public final class LockNotAvailableException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockNotAvailableException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
