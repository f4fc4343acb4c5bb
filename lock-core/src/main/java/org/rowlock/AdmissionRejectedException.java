package org.rowlock;

/**
 * The admission queue of a key has as many waiters as it may (default 10,000). No connection was borrowed.
 *
 * @see RowLocks.Builder#maxWaitersPerKey(int)
 */
public final class AdmissionRejectedException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     */
    public AdmissionRejectedException(String message) {
        super(message, null, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }
}
