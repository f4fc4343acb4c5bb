package org.rowlock.jdbc;

/** How the drop-in treats statements that lock a row. */
public enum DropInMode {
    /** Passes every statement without a look. */
    OFF,

    /** Changes nothing. Counts the statements, and those that would have queued. */
    OBSERVE,

    /**
     * Where many transactions of this JVM want a row, all but a few wait in the JVM before they go to the server. Where
     * other JVMs want the row too, and so many over all that it pays, an advisory lock of the row goes in front of the
     * statement, in the same round trip. Its READ COMMITTED snapshot is then taken behind the wait, so it reads
     * fresher. See {@link org.rowlock.LockFront}.
     */
    QUEUE
}
