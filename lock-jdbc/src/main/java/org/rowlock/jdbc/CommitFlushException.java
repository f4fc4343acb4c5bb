package org.rowlock.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a write that {@link CommitFlush} kept. Nothing is committed. The cause, the message and the SQLSTATE
 * are those of the server's error, or of Rowlock if a write changed a wrong number of rows.
 */
public final class CommitFlushException extends SQLException {
    private static final long serialVersionUID = 1;

    /** Whether a write changed no row, or more than one row. */
    private final boolean wrongCount;

    /**
     * Creates an exception for a write that failed or changed a wrong number of rows.
     *
     * @param message the message of the server or of Rowlock
     * @param sqlState the SQLSTATE of the server or of Rowlock
     * @param wrongCount see {@link #isWrongCount}
     * @param cause the exception of the driver or of Rowlock; null if Rowlock has read the count after the COMMIT
     */
    public CommitFlushException(
            @Nullable String message, @Nullable String sqlState, boolean wrongCount, @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.wrongCount = wrongCount;
    }

    /**
     * Whether a write changed no row, or more than one row. The usual reason is that another transaction changed or
     * deleted the row after it was read.
     *
     * @return false if the write itself failed
     */
    public boolean isWrongCount() {
        return wrongCount;
    }
}
