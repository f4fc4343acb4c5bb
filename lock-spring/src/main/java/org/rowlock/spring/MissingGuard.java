package org.rowlock.spring;

/**
 * What happens at startup where a table has strategy {@link org.rowlock.LockStrategy#ADVISORY} and no
 * {@linkplain org.rowlock.guard.RowLockGuard guard} that refuses writers which do not lock.
 */
public enum MissingGuard {
    /** A warning is logged, once, with the SQL that installs it. */
    WARN,

    /** The application does not start. */
    FAIL,

    /** Nothing: every writer is known to lock. */
    IGNORE
}
