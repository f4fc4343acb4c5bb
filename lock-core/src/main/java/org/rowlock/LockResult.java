package org.rowlock;

/** What a lock call on one key came to hold. */
public enum LockResult {
    /** The key is locked; the row was not looked at ({@link LockStrategy#ADVISORY}, names and raw numbers). */
    KEY_LOCKED(true, false),

    /** The row exists and is locked ({@link LockStrategy#ROW}). */
    ROW_LOCKED(true, false),

    /** The key is locked, and the row exists and is locked ({@link LockStrategy#BOTH}). */
    KEY_AND_ROW_LOCKED(true, false),

    /** The key is locked and there is no such row: others who lock the key wait ({@link LockStrategy#BOTH}). */
    KEY_LOCKED_ROW_ABSENT(true, true),

    /** There is no such row, so nothing is locked, as with {@code FOR UPDATE} ({@link LockStrategy#ROW}). */
    NOTHING_LOCKED_ROW_ABSENT(false, true),

    /** Another transaction holds the lock, so nothing is newly locked. Only {@link TransactionLocks#attempt} returns it. */
    TAKEN(false, false);

    private final boolean locked;
    private final boolean rowAbsent;

    LockResult(boolean locked, boolean rowAbsent) {
        this.locked = locked;
        this.rowAbsent = rowAbsent;
    }

    /**
     * Tells whether anything is locked.
     *
     * @return false where the strategy locks rows and there is no row, and where the lock is {@link #TAKEN}
     */
    public boolean isLocked() {
        return locked;
    }

    /**
     * Tells whether the row is known to be absent.
     *
     * @return true where the strategy looked and found no row; false also where it did not look
     */
    public boolean isRowAbsent() {
        return rowAbsent;
    }
}
