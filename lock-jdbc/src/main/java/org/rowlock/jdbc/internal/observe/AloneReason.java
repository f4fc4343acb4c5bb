package org.rowlock.jdbc.internal.observe;

/** Why a statement that waits is sent alone where groups are on. */
public enum AloneReason {
    /** Of what it is: not a plain prepared UPDATE of well-known functions, or a value that is not kept. */
    STATEMENT,
    /** Its session was altered, or nobody knows. */
    SESSION,
    /** Its table has triggers, rules, policies, partitions or deferred constraints, or nobody knows. */
    TABLE
}
