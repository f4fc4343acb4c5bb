package org.rowlock.spring;

/** The reaction at startup if an annotation locks nothing, or a lock does not exclude as it should. */
public enum Reaction {
    /** Logs a warning or an error, once, with its remedy. */
    WARN,

    /** Prevents the application from starting. */
    FAIL,

    /** Does nothing, and skips the check. */
    IGNORE
}
