package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The connection was lost, or the server closed the connection, before the COMMIT was sent. The SQLSTATE is then 08xxx,
 * 57P01, 57P02, 57P05, 25P03 or 25P04. When the server notices the loss, the server rolls the transaction back and
 * releases its locks.
 *
 * <p>If the SQLSTATE is 25006, the connection works, but its server is now read-only: the server is a hot standby, or
 * the session's {@code default_transaction_read_only} is on. No lock was acquired. Roll back, and run the transaction
 * again on another connection.
 */
public final class LockConnectionLostException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockConnectionLostException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
