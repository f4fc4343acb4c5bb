package org.rowlock.internal.request;

/** What goes in front of a flush that commits, to have the server look whether the client is still there. */
public enum Watch {
    /** Nothing: the server cannot look. */
    NONE,
    /** Has the server look. */
    SET,
    /** The same, and asks whether a commit waits for a standby. */
    SET_AND_ASK
}
