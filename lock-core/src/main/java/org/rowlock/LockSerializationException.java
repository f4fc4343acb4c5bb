package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * In REPEATABLE READ or SERIALIZABLE the row has changed since the transaction's snapshot (SQLSTATE 40001). Or, at any
 * level, a query behind a lock that found no row saw one that was inserted during the wait, or the table, its primary
 * key or the type of its id was replaced since Rowlock looked it up. The transaction must be rolled back and run again.
 */
public final class LockSerializationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockSerializationException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
