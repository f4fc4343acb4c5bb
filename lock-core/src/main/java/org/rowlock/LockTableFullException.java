package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The server has no room for another lock (SQLSTATE 53200). The lock table is shared by every session of the server,
 * so others are refused too while it is full. The transaction is aborted; rolling back frees its locks.
 *
 * <p>Raise {@code max_locks_per_transaction} or {@code max_connections} (the table holds about their product, before
 * PostgreSQL 19 twice that), or lock fewer keys at a time.
 */
public final class LockTableFullException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockTableFullException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
