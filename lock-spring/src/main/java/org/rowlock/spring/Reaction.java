package org.rowlock.spring;

/** What happens at startup where something locks nothing, or does not exclude as it should. */
public enum Reaction {
    /** A warning is logged, or an error; once, with what to do. */
    WARN,

    /** The application does not start. */
    FAIL,

    /** Nothing, and nothing looks. */
    IGNORE
}
