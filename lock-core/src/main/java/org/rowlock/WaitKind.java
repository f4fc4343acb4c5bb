package org.rowlock;

/** The kind of a {@link LockWait}, which decides the SQL; its length is a parameter. */
enum WaitKind {
    FOREVER,
    NO_WAIT,
    AT_MOST;

    static WaitKind of(LockWait wait) {
        if (wait instanceof LockWait.Forever) {
            return FOREVER;
        }
        return wait instanceof LockWait.NoWait ? NO_WAIT : AT_MOST;
    }
}
