package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * Another transaction holds the lock, and the wait was {@link LockWait#noWait()} or ran out (SQLSTATE 55P03).
 *
 * <p>Nothing is newly held, and the transaction stays usable: locks and changes from before the call are as they were.
 * One case aborts the transaction as with row locks: the session's own {@code lock_timeout} ending a wait
 * {@link LockWait#forever()}.
 */
public final class LockNotAvailableException extends LockException {
    private static final long serialVersionUID = 1;

    LockNotAvailableException(String message, @Nullable Throwable cause) {
        super(message, SqlState.LOCK_NOT_AVAILABLE, cause);
    }
}
