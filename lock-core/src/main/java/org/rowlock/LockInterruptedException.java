package org.rowlock;

/**
 * The thread was interrupted while it stood in the admission queue. It has left the queue, its interrupt flag is set,
 * and no connection was borrowed.
 */
public final class LockInterruptedException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockInterruptedException(Parts parts) {
        super(parts, true);
    }
}
