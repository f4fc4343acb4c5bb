package org.rowlock.guard;

/** The state of a table's guard, which rejects writers that do not lock the rows. */
public enum GuardState {
    /** The guard is up to date and enabled. */
    CURRENT,
    /**
     * The guard is from another version of the SQL, or the primary key has changed since. The guard may lock the wrong
     * keys. Install the guard again.
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
