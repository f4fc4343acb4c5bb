package org.rowlock;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The root of Rowlock's exceptions, unchecked: a lock could not be had, a write did not do what was expected of it, or
 * a commit is in doubt. The subclasses name what can be understood, and this class itself stands for any other refusal
 * of the server.
 *
 * <p>Unless a subclass says otherwise, PostgreSQL has aborted the transaction and it must be rolled back, as with
 * {@code FOR UPDATE}.
 */
public class RowlockException extends RuntimeException {
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
    public RowlockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
    }

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param cause what the server or the driver said
     */
    public RowlockException(String message, SQLException cause) {
        this(message, cause.getSQLState(), cause);
    }

    /**
     * Tells whether the same work may succeed if it is run again from its beginning, once this transaction is rolled
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
