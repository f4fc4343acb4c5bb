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

    /** What is said, with the SQLSTATE and the cause, if there are any. */
    public UnexpectedRowCountException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
