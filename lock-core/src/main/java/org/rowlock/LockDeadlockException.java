package org.rowlock;

/**
 * The server found transactions waiting for each other in a circle and chose this one to end (SQLSTATE 40P01). The
 * transaction is aborted: roll back and run it again. Locking all keys of a transaction with one {@link LockRequest}
 * avoids it.
 */
public final class LockDeadlockException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockDeadlockException(Parts parts) {
        super(parts, true);
    }
}
