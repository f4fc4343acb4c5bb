package org.rowlock.spring;

/**
 * The reaction at startup to a method whose {@link RowLock} locks nothing, or to a table without a guard. A guard is
 * the trigger that rejects writers without the lock.
 */
public enum Reaction {
    /** Logs a warning once. */
    WARN,

    /** Prevents the application from starting. */
    FAIL,

    /** Skips the check for guards. For methods that lock nothing, this value means {@link #WARN}. */
    IGNORE
}
