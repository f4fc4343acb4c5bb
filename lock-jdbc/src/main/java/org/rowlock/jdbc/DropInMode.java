package org.rowlock.jdbc;

/** How the drop-in treats statements that lock a row. */
public enum DropInMode {
    /** Passes every statement without a look. */
    OFF,

    /** Changes nothing. Counts the statements, and those that would have queued. */
    OBSERVE,

    /**
     * Queues transactions of this JVM that want the same row: a few wait at the server, the others in the JVM. When
     * enough JVMs contend for the row, an advisory lock of the row goes in front of the statement, in the same round
     * trip. Its READ COMMITTED snapshot is then taken behind the wait, so it reads
     * fresher. See {@link org.rowlock.LockFront}.
     */
    QUEUE
}
