package org.rowlock.spring;

/** The reaction at startup to an annotation that locks nothing, or to a table without its guard. */
public enum Reaction {
    /** Logs a warning once. */
    WARN,

    /** Prevents the application from starting. */
    FAIL,

    /**
     * Skips the check. The checks for methods and calls that lock nothing are not skipped; for these checks this value
     * means {@link #WARN}.
     */
    IGNORE
}
