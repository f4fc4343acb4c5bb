package org.rowlock;

/** How an attempt to lock ended, for {@link LockListener} and the JFR event. */
public enum LockOutcome {
    /** The lock is held; or, with {@link LockStrategy#ROW}, there was no row to lock. */
    ACQUIRED,
    /** Another transaction held it, and the wait was none or ran out. */
    NOT_AVAILABLE,
    /** The server ended the wait to break a deadlock. */
    DEADLOCK,
    /** Anything else: refused, canceled, connection lost. */
    FAILED;
}
