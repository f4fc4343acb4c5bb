package org.rowlock.guard;

/** Whether the guard of a table rejects writers that do not lock. */
public enum GuardState {
    /** The guard rejects them. */
    CURRENT,
    /**
     * The guard may derive other keys than this version of Rowlock. The guard is of another version, or was installed
     * for another primary key. Install it again.
     */
    OUTDATED,
    /**
     * The guard exists, but {@code ALTER TABLE ... DISABLE TRIGGER} has disabled it, on the table or on a partition.
     */
    DISABLED,
    /** The table has no guard. */
    MISSING
}
