package org.rowlock;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;

/**
 * The root of Rowlock's exceptions, which are unchecked. An exception reports that a lock could not be acquired, a
 * write changed an unexpected number of rows, or a commit has an unknown outcome. Each subclass reports one reason. An
 * exception of this class itself reports an error for which there is no subclass.
 *
 * <p>Unless a subclass says otherwise, PostgreSQL has aborted the transaction, and the caller must roll it back, as
 * with {@code FOR UPDATE}.
 */
public class RowlockException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The SQLSTATE that {@link #sqlState()} returns, or null. */
    private final @Nullable String sqlState;

    /** The result of {@link #isRetryable()}. */
    private final boolean retryable;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public RowlockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        this(message, sqlState, cause, false);
    }

    RowlockException(String message, @Nullable String sqlState, @Nullable Throwable cause, boolean retryable) {
        super(message, cause);
        this.sqlState = sqlState;
        this.retryable = retryable;
    }

    /** Appends a link to the page that explains the exception, unless the message already contains a link. */
    @Override
    public @Nullable String getMessage() {
        String message = super.getMessage();
        return message == null || message.contains(Docs.URL)
                ? message
                : message + " (see " + Docs.URL + "errors.md#"
                        + getClass().getSimpleName().toLowerCase(Locale.ROOT) + ')';
    }

    /**
     * Reports whether the same work may succeed if it is run again from its beginning, after a rollback. If the result
     * is true, nothing of the work is stored. Work that was interrupted or cancelled should usually not be run again.
     *
     * <p>The result is true for {@link LockCanceledException}, {@link LockConnectionLostException}, {@link
     * LockDeadlockException}, {@link LockInterruptedException}, {@link LockNotAvailableException}, {@link
     * LockSerializationException} and {@link LockTableFullException}. For a {@link LockVerificationException}, the
     * result is true if the check could not be completed.
     *
     * @return false if the work would probably fail again, or if it is unknown whether the work is stored
     */
    public boolean isRetryable() {
        return retryable;
    }

    /**
     * {@return the SQLSTATE of the server or the driver, or the SQLSTATE that Rowlock has chosen for the failure; empty
     * if there is none}
     */
    public Optional<String> sqlState() {
        return Optional.ofNullable(sqlState);
    }
}
