package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * {@link RowLocks#verify} did not find that locks exclude through a DataSource. The server, or a pooler in front of it,
 * was seen not to do what locks need: the message says what, and what to do. Or, where it is {@linkplain #isRetryable()
 * retryable} (SQLSTATE 08001), this could not be tried, because there were no two connections or one was lost. A lock
 * throws it too if the server reports success and has locked another number of keys than it was asked for.
 */
public final class LockVerificationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockVerificationException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, sqlState != null);
    }
}
