package org.rowlock;

/**
 * A row that {@link LockRequest#requireRow} requires does not exist. The transaction stays usable. What was locked
 * beside it stays locked until the transaction ends, with {@link LockStrategy#BOTH} also the key of the row.
 */
public final class RowAbsentException extends RowlockException {
    private static final long serialVersionUID = 1;

    RowAbsentException(Parts parts) {
        super(parts, false);
    }
}
