package org.rowlock.internal.request;

import org.rowlock.LockWait;

/** The kind of a {@link LockWait}, which decides the SQL; its length is a parameter. */
public enum WaitKind {
    FOREVER,
    NO_WAIT,
    AT_MOST;

    public static WaitKind of(LockWait wait) {
        if (wait instanceof LockWait.Forever) {
            return FOREVER;
        }
        return wait instanceof LockWait.NoWait ? NO_WAIT : AT_MOST;
    }
}
