package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A statement of {@link CommitWrites} did not change as many rows as {@linkplain CommitWrite#expectRows expected}.
 * Nothing is stored. If the writes were sent with a commit, the transaction has ended. Otherwise the caller must roll
 * back. The SQLSTATEs are those of {@code INTO STRICT} in PL/pgSQL: P0002 (no_data_found) for fewer rows, and P0003
 * (too_many_rows) for more rows.
 *
 * <p>{@link LockedTransaction#row} throws this exception too, without an SQLSTATE, if there is no row or more than one.
 */
public final class UnexpectedRowCountException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public UnexpectedRowCountException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
