package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A row that was to be locked does not exist, and the request does not {@linkplain LockRequest#allowAbsent allow}
 * absent rows. With {@link LockStrategy#ADVISORY}, and for names and numbers, Rowlock looks for no row and never throws
 * this exception.
 *
 * <p>The caller's transaction stays usable. Until its end, the transaction holds the locks of the other rows of the
 * call. With {@link LockStrategy#BOTH} the transaction also holds the advisory lock of the absent row. If the INSERT of
 * {@link LockRequest#orInsert} has created a different row, a transaction that had begun before the call is aborted.
 */
public final class RowAbsentException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public RowAbsentException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
