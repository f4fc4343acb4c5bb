package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * No lock can be acquired on this connection or in this transaction, or the transaction cannot be committed. The
 * SQLSTATE shows the reason:
 *
 * <ul>
 *   <li>08003: the connection is closed
 *   <li>25P01: the connection is in autocommit, where the lock would be released at once
 *   <li>25P02: an earlier statement failed, and PostgreSQL refuses all further statements until a rollback
 *   <li>25006: the caller has made the connection or the transaction read-only, or a pooler has sent the statement to a
 *       standby
 *   <li>25001: the transaction is REPEATABLE READ or SERIALIZABLE, and its snapshot may be older than the lock
 *   <li>2D000: the caller's code (the work, a row mapper, a listener) has ended the transaction and thereby released
 *       the locks
 *   <li>0A000: the connection does not belong to the PostgreSQL JDBC driver, or Rowlock cannot use this version of the
 *       driver
 *   <li>55000: the driver cannot send several statements at once, because of a negative prepareThreshold
 * </ul>
 *
 * <p>The call usually leaves the transaction unchanged. With 2D000 the transaction has ended. With row locks ({@link
 * LockStrategy#ROW} and {@link LockStrategy#BOTH}), 25006 and 25001 may abort a transaction that had begun before the
 * call.
 */
public final class LockTransactionException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockTransactionException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
