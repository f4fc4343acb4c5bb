package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The request has a key that cannot be locked, or too many keys. The message has the reason:
 *
 * <ul>
 *   <li>The table does not exist or is a view, or the role lacks a privilege or is refused by row security.
 *   <li>The id does not fit the type of its column, is not in canonical form, or has a type that cannot be a key.
 *   <li>A row lock needs a primary key or configured id columns, and the table has neither.
 *   <li>The call has more distinct advisory locks than the {@linkplain RowLocksBuilder#lockBudget budget} allows
 *       (SQLSTATE 54000).
 *   <li>On Citus, the id does not include the distribution column, or the call is a claim.
 * </ul>
 *
 * <p>If Rowlock detected the fault before it sent the lock statement, no lock was acquired, and the transaction stays
 * usable. Otherwise a transaction that had begun before the call may be aborted, as with {@code FOR UPDATE}. If row
 * security refused the row, the transaction stays usable and holds the locks of the other keys. When in doubt, roll
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
