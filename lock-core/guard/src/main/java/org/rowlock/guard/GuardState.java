package org.rowlock.guard;

/** The state of a table's guard, which rejects writers that do not lock the rows. */
public enum GuardState {
    /** The guard rejects writers that do not lock, if another transaction holds the lock. */
    CURRENT,
    /**
     * The guard has another version, or was installed for another primary key. Its keys may therefore differ from the
     * keys of this version of Rowlock. Install the guard again.
     */
    OUTDATED,
    /**
     * The guard exists, but {@code ALTER TABLE ... DISABLE TRIGGER} has disabled its trigger on the table or on a
     * partition.
     */
    DISABLED,
    /** The table has no guard. */
    MISSING
}
