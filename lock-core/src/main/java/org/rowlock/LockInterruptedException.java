package org.rowlock;

/**
 * The thread was interrupted while it stood in the admission queue. It has left the queue, its interrupt flag is set,
 * and no connection was borrowed.
 */
public final class LockInterruptedException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param cause what the server or the driver said
     */
    public LockInterruptedException(String message, InterruptedException cause) {
        super(message, null, cause);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
