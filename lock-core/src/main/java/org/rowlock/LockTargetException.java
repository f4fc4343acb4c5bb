package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What was asked to be locked cannot be: the table does not exist, is a view or otherwise without rows to lock, the
 * privilege is missing, the id does not fit the column or is not spelled as its key is, there is no primary key where a
 * row lock needs one, or the call is for more distinct advisory locks than its {@linkplain RowLocksBuilder#lockBudget
 * budget} (SQLSTATE 54000).
 *
 * <p>No lock was taken. Where Rowlock found out by itself the transaction stays usable; where the server raised an
 * error, or only the server could see that an id is spelled otherwise, a transaction that had begun before is aborted,
 * as with {@code FOR UPDATE}. When in doubt, roll back.
 */
public final class LockTargetException extends RowlockException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public LockTargetException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
