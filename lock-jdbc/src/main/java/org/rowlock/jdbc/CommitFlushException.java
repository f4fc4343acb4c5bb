package org.rowlock.jdbc;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a write that {@link CommitFlush} kept. Nothing is committed. The cause, the message and the SQLSTATE
 * are those of the server's error, or of Rowlock if a write changed a wrong number of rows.
 */
public final class CommitFlushException extends SQLException {
    private static final long serialVersionUID = 1;

    /** Whether a write changed no row, or more than one row. */
    private final boolean wrongCount;

    private final transient @Nullable List<@Nullable Object> values;

    /**
     * Creates an exception for a write that failed or changed a wrong number of rows.
     *
     * @param message the message of the server or of Rowlock
     * @param sqlState the SQLSTATE of the server or of Rowlock
     * @param values the values of the write if it changed a wrong number of rows; null if the write itself failed
     * @param cause the exception of the driver or of Rowlock; null if Rowlock has read the count after the COMMIT
     */
    public CommitFlushException(
            @Nullable String message,
            @Nullable String sqlState,
            @Nullable List<@Nullable Object> values,
            @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.wrongCount = values != null;
        this.values = values;
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

    /** {@return the values of the write that changed a wrong number of rows; empty if the write itself failed} */
    public List<@Nullable Object> values() {
        return values == null ? List.of() : Collections.unmodifiableList(values);
    }
}
