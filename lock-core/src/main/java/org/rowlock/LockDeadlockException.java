package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The server found transactions waiting for each other in a circle and chose this one to end (SQLSTATE 40P01). The
 * transaction is aborted: roll back and run it again. Locking all keys of a transaction with one {@link LockRequest}
 * avoids it.
 */
public final class LockDeadlockException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public LockDeadlockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
