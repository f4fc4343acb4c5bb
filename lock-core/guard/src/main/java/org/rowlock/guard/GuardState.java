package org.rowlock.guard;

/** Whether the guard of a table refuses writers that do not lock. */
public enum GuardState {
    /** The guard refuses them. */
    CURRENT,
    /**
     * The guard may make other keys than this version of Rowlock. It is of another version, or the primary key is no
     * longer the one for which it was installed. Install it again.
     */
    OUTDATED,
    /**
     * The guard exists, but {@code ALTER TABLE ... DISABLE TRIGGER} has disabled it, on the table or on a partition.
     */
    DISABLED,
    /** The table has no guard. */
    MISSING
}
