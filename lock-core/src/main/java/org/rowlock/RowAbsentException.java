package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A row that {@link LockRequest#requireRow} requires does not exist. The transaction stays usable. What was locked
 * beside it stays locked until the transaction ends, with {@link LockStrategy#BOTH} also the key of the row. If the
 * INSERT of {@link LockRequest#orInsert} has made another row, a transaction that had begun is aborted.
 */
public final class RowAbsentException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public RowAbsentException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
