package org.rowlock;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lock could not be had. The root of Rowlock's exceptions, unchecked; the subclasses name what can be understood,
 * and this class itself stands for any other refusal of the server.
 *
 * <p>Unless a subclass says otherwise, PostgreSQL has aborted the transaction and it must be rolled back, as with
 * {@code FOR UPDATE}.
 */
public class LockException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The server's, or what FOR UPDATE would have given; null where there is none. */
    private final @Nullable String sqlState;

    LockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
    }

    LockException(String message, SQLException cause) {
        this(message, cause.getSQLState(), cause);
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
