package org.rowlock;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.text.Docs;

/**
 * What was to be done under a lock was not done, or is not known to be: the lock could not be had, a write did not do
 * what was expected of it, or the commit is in doubt. The root of Rowlock's exceptions, unchecked. The subclasses name
 * what can be understood, and this class itself stands for any other refusal of the server.
 *
 * <p>Unless a subclass says otherwise, PostgreSQL has aborted the transaction and it must be rolled back, as with
 * {@code FOR UPDATE}.
 */
public class LockException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The server's, or what FOR UPDATE would have given; null where there is none. */
    private final @Nullable String sqlState;

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE, if there is one
     * @param cause what the server or the driver said
     */
    public LockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
    }

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param cause what the server or the driver said
     */
    public LockException(String message, SQLException cause) {
        this(message, cause.getSQLState(), cause);
    }

    /** The message, and the page that explains the exception unless the message names another. */
    @Override
    public @Nullable String getMessage() {
        String message = super.getMessage();
        return message == null || message.contains(Docs.URL)
                ? message
                : message + " (see " + Docs.URL + "errors.md#"
                        + getClass().getSimpleName().toLowerCase(Locale.ROOT) + ')';
    }

    /**
     * Reports whether the same work may succeed if it is run again from its beginning, once this transaction is rolled
     * back: nothing of it is stored, and nothing needs to be changed first. Not whether that is wanted: work that was
     * interrupted or cancelled should rather stop.
     *
     * @return false where it will fail again, or where nobody knows what is stored
     */
    public boolean isRetryable() {
        return false;
    }

    /**
     * The SQLSTATE: the server's where it raised an error, and otherwise the one that {@code FOR UPDATE} would have
     * given in its place.
     *
     * @return the SQLSTATE, or empty where there is none
     */
    public Optional<String> sqlState() {
        return Optional.ofNullable(sqlState);
    }
}
