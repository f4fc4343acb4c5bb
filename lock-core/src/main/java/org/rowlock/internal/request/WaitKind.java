package org.rowlock.internal.request;

import org.rowlock.LockWait;

/** The kind of a {@link LockWait}, which decides the SQL; its length is a parameter. */
public enum WaitKind {
    FOREVER,
    NO_WAIT,
    AT_MOST;

    public static WaitKind of(LockWait wait) {
        return wait.isBounded() ? AT_MOST : wait.isNoWait() ? NO_WAIT : FOREVER;
    }
}
