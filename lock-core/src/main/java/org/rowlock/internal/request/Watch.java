package org.rowlock.internal.request;

/** What goes in front of a flush that commits, to have the server look whether the client is still there. */
public enum Watch {
    /** Asks whether the server can do it, and has it done. */
    ASK,
    /** Has it done, as it is known that the server can. */
    SET,
    /** Nothing: the server cannot, or the session has it done already. */
    NONE
}
