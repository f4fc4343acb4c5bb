package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The request has a key that cannot be locked, or too many keys. The message has the reason:
 *
 * <ul>
 *   <li>The table does not exist or is a view, or the role lacks a privilege.
 *   <li>The id does not fit the type of its column, or is not written in the canonical form of ids.
 *   <li>A row lock needs a primary key or configured id columns, and the table has neither.
 *   <li>The call has more distinct advisory locks than the {@linkplain RowLocksBuilder#lockBudget budget} allows
 *       (SQLSTATE 54000).
 * </ul>
 *
 * <p>No lock was acquired. If Rowlock detected the fault itself, the transaction stays usable. If the server detected
 * the fault, a transaction that had begun before the call is aborted, as with {@code FOR UPDATE}. When in doubt, roll
 * back.
 */
public final class LockTargetException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public LockTargetException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
