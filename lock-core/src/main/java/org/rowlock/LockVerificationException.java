package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * {@link RowLocks#verify} could not prove that locks exclude through a DataSource. Usually the server, or a pooler in
 * front of it, does not do what locks need. The message names the fault and the remedy. If it is
 * {@linkplain #isRetryable() retryable} (SQLSTATE 08001), locks could not be tried, because there were no two
 * connections or one was lost. A lock throws it too, if the server reports success but has locked a different number of
 * keys than requested.
 */
public final class LockVerificationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockVerificationException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, sqlState != null);
    }
}
