package org.rowlock.jdbc;

/** What is done about statements that lock a row. */
public enum DropInMode {
    /** Nothing: no statement is looked at. */
    OFF,

    /** Nothing changes. Statements are counted, with those that would have queued. */
    OBSERVE,

    /**
     * Where many transactions of this JVM want a row, all but a few wait in the JVM before they go to the server. Where
     * other JVMs want the row too, and so many over all that it pays, an advisory lock of the row goes in front of the
     * statement, in the same round trip. Its READ COMMITTED snapshot is then taken behind the wait, so it reads
     * fresher. See {@link org.rowlock.LockFront}.
     */
    QUEUE
}
