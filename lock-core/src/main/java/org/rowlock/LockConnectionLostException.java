package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke, or the server ended it, while waiting for the lock or before (SQLSTATE 08xxx, 57P01, 57P02,
 * 57P05, 25P03 or 25P04), or in the work before its commit was sent. The transaction is gone, and with it every lock it
 * held and all it had written; nothing stays held on the server.
 *
 * <p>With 25006 the connection is there, but leads to a server that no longer writes: a hot standby, or one whose
 * {@code default_transaction_read_only} is on. No lock was taken. Roll back, and run it again on another connection.
 */
public final class LockConnectionLostException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockConnectionLostException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
