package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The server's lock table is full (SQLSTATE 53200). All sessions of the server share the lock table, so other sessions
 * get this error too while the table is full. The transaction is aborted; a rollback releases the locks of the
 * transaction.
 *
 * <p>Raise {@code max_locks_per_transaction} or {@code max_connections}, or lock fewer keys at a time. About {@code
 * max_locks_per_transaction} times {@code max_connections} locks fit into the table. Before PostgreSQL 19, about twice
 * as many locks fit.
 */
public final class LockTableFullException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockTableFullException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
