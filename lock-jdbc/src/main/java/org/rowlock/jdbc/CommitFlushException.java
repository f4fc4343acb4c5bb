package org.rowlock.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A write that {@link CommitFlush} kept has failed, and nothing of its transaction is committed. Message and SQLSTATE
 * are those of the server, whose error is the cause.
 */
public final class CommitFlushException extends SQLException {
    private static final long serialVersionUID = 1;

    /** Whether a write has not changed exactly one row. */
    private final boolean wrongCount;

    /**
     * Makes one of a failure.
     *
     * @param message of the server, or what was found
     * @param sqlState of the server
     * @param wrongCount see {@link #isWrongCount}
     * @param cause what the driver or Rowlock threw
     */
    public CommitFlushException(
            @Nullable String message, @Nullable String sqlState, boolean wrongCount, Throwable cause) {
        super(message, sqlState, cause);
        this.wrongCount = wrongCount;
    }

    /**
     * Whether a write has not changed exactly one row: mostly another transaction has changed or deleted it since it
     * was read.
     *
     * @return false where the server has raised an error
     */
    public boolean isWrongCount() {
        return wrongCount;
    }
}
