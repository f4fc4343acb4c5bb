package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it waited in the admission queue. The thread has left the queue, its interrupt flag
 * is set, and no connection was borrowed.
 */
public final class LockInterruptedException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockInterruptedException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
