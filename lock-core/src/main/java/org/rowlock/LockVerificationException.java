package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * {@link RowLocks#verify} found that locks of a DataSource do not exclude each other, or could not complete the check.
 * Usually the server or a pooler is unsuitable for locks. The message names the fault and the remedy. A {@linkplain
 * #isRetryable() retryable} exception (SQLSTATE 08001) means that the check could not be completed. For example, fewer
 * than two connections were available, or a connection was lost. A call for a lock also throws this exception if the
 * server reports success, but has locked more or fewer keys than requested.
 */
public final class LockVerificationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockVerificationException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, sqlState != null);
    }
}
