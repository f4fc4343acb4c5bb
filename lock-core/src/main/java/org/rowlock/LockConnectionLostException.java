package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke, or the server ended it, before the commit was sent: while a call waited for the lock, earlier,
 * or in the work. The SQLSTATE is 08xxx, 57P01, 57P02, 57P05, 25P03 or 25P04. The transaction is gone, and with it
 * every lock it held and all that it had written. Nothing is held at the server.
 *
 * <p>With 25006 the connection is there, but leads to a server that no longer writes: a hot standby, or one whose
 * {@code default_transaction_read_only} is on. No lock was taken. Roll back, and run it again on another connection.
 */
public final class LockConnectionLostException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockConnectionLostException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
