package org.rowlock.spring;

/**
 * What Rowlock does at startup if an annotation locks nothing, or a lock does not exclude other transactions as it
 * should.
 */
public enum Reaction {
    /** Logs a warning or an error once, with a remedy. */
    WARN,

    /** Prevents the application from starting. */
    FAIL,

    /** Skips the check. */
    IGNORE
}
