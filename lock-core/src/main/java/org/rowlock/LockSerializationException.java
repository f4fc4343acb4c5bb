package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A concurrent change of a row or of the table made the call fail (SQLSTATE 40001). Roll back and run the transaction
 * again. The reason is one of these:
 *
 * <ul>
 *   <li>In REPEATABLE READ or SERIALIZABLE the server raised 40001, usually because the row has changed after the
 *       transaction's snapshot.
 *   <li>At any isolation level, a row was inserted during the wait, and the query after the lock may have read this row
 *       without a lock.
 *   <li>At any isolation level, the table, its primary key or the type of its id was replaced after Rowlock had looked
 *       up the table.
 * </ul>
 */
public final class LockSerializationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockSerializationException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, true);
    }
}
