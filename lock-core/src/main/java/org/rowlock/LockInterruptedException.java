package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it stood in the admission queue. It has left the queue, its interrupt flag is set,
 * and no connection was borrowed.
 */
public final class LockInterruptedException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public LockInterruptedException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
