package org.rowlock.spring;

/** The reaction at startup to an annotation that locks nothing, or to locks that do not exclude each other. */
public enum Reaction {
    /** Logs a warning or an error once, with a remedy. */
    WARN,

    /** Prevents the application from starting. */
    FAIL,

    /**
     * Skips the check. The checks for methods and calls that lock nothing are not skipped; for these checks this value
     * means {@link #WARN}.
     */
    IGNORE
}
