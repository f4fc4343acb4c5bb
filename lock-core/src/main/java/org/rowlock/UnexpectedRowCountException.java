package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A statement of {@link CommitWrites} did not change as many rows as {@linkplain CommitWrite#expectRows it was to}.
 * Nothing of the transaction is stored; it is rolled back, or aborted where they were sent without a commit. The
 * SQLSTATE is that of {@code INTO STRICT}: P0002 where there were fewer rows (no_data_found), P0003 where there were
 * more (too_many_rows).
 */
public final class UnexpectedRowCountException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public UnexpectedRowCountException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
