package org.rowlock.guard;

/** Whether the guard of a table refuses writers that do not lock. */
public enum GuardState {
    /** It does. */
    CURRENT,
    /**
     * It may make other keys than this version of Rowlock: it is of another version, or the primary key is no longer
     * the one that it was installed for. Install it again.
     */
    OUTDATED,
    /** It is there, but {@code ALTER TABLE ... DISABLE TRIGGER} has switched it off, on the table or on a partition. */
    DISABLED,
    /** There is none. */
    MISSING
}
