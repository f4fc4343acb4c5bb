package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What was asked to be locked cannot be: the table does not exist, is a view or otherwise without rows to lock, the
 * privilege is missing, the id does not fit the column, or there is no primary key where a row lock needs one.
 *
 * <p>No lock was taken. Where the server raised an error ({@link #sqlState()} is present) the transaction is aborted, as
 * with {@code FOR UPDATE}; where Rowlock refused by itself it stays usable.
 */
public final class LockTargetException extends LockException {
    private static final long serialVersionUID = 1;

    LockTargetException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause);
    }
}
