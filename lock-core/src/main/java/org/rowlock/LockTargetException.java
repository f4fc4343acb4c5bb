package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What was asked to be locked cannot be: the table does not exist, is a view or otherwise without rows to lock, the
 * privilege is missing, the id does not fit the column or is not spelled as its key is, or there is no primary key
 * where a row lock needs one.
 *
 * <p>No lock was taken. Where Rowlock found out by itself the transaction stays usable; where the server raised an
 * error, or only the server could tell that an id is spelled otherwise, a transaction that had begun before is aborted,
 * as with {@code FOR UPDATE}. When in doubt, roll back.
 */
public final class LockTargetException extends LockException {
    private static final long serialVersionUID = 1;

    /** Whether what is kept of the table does not hold any more. */
    private final boolean stale;

    /** Whether the transaction is as it was before the call. */
    private final boolean undone;

    /**
     * Made by Rowlock; public for tests of those who catch it.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE, if there is one
     * @param cause what the server or the driver said
     */
    public LockTargetException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.stale = false;
        this.undone = false;
    }

    private LockTargetException(String message, boolean undone) {
        super(message, null, (Throwable) null);
        this.stale = true;
        this.undone = undone;
    }

    /**
     * For a table that was replaced or changed since it was looked up.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param undone whether the transaction is as it was before the call
     * @return the exception
     */
    public static LockTargetException stale(String message, boolean undone) {
        return new LockTargetException(message, undone);
    }

    /**
     * Tells whether the table, its primary key or the type of its id was replaced since Rowlock looked it up. The next
     * call looks it up again.
     *
     * @return true if what was known of the table does not hold any more
     */
    public boolean isStale() {
        return stale;
    }

    /**
     * Tells whether a table that was found to be stale leaves the transaction as it was before the call.
     *
     * @return true if it can go on; false if it must be rolled back, or where {@link #isStale} is false
     */
    public boolean isUndone() {
        return undone;
    }

    /** A table that was replaced is looked up again by the next call. */
    @Override
    public boolean isRetryable() {
        return stale;
    }
}
