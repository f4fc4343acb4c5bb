package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke, or the server ended it, while waiting for the lock or before (SQLSTATE 08xxx, 57P01, 57P02,
 * 57P05, 25P03 or 25P04), or in the work before its commit was sent. The transaction is gone, and with it every lock it
 * held and all it had written; nothing stays held on the server.
 */
public final class LockConnectionLostException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public LockConnectionLostException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
