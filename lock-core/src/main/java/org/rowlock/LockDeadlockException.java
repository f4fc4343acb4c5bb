package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * Several transactions waited for each other, and the server aborted this transaction (SQLSTATE 40P01). Roll back, and
 * run the transaction again. To avoid deadlocks, lock all keys of a transaction with one {@link LockRequest}.
 */
public final class LockDeadlockException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockDeadlockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
