package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * Another transaction holds the lock, and the wait was {@link LockWait#noWait()} or ran out (SQLSTATE 55P03).
 *
 * <p>Nothing is newly held, and the transaction stays usable: locks and changes from before the call are as they were.
 * The exception is a wait that the session's own {@code lock_timeout} ended; that aborts the transaction as it does
 * with row locks, see {@link #isTransactionUsable()}.
 */
public final class LockNotAvailableException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** Whether the transaction can go on. */
    private final boolean transactionUsable;

    LockNotAvailableException(Exceptions.Parts parts) {
        super(parts, true);
        this.transactionUsable = (boolean) parts.detail();
    }

    /** {@return whether the transaction can go on; if not it must be rolled back} */
    public boolean isTransactionUsable() {
        return transactionUsable;
    }
}
