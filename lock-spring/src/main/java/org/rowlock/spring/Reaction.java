package org.rowlock.spring;

/** What happens at startup where a {@link RowLock} locks nothing, or may not. */
public enum Reaction {
    /** A warning is logged. */
    WARN,

    /** The application does not start. */
    FAIL
}
