package org.rowlock.jdbc;

/** How the drop-in treats statements that lock a row. */
public enum DropInMode {
    /** Sends every statement unchanged and unexamined. */
    OFF,

    /**
     * Sends every statement unchanged. Counts the statements that lock a row, and the statements that would have queued
     * in mode {@link #QUEUE}.
     */
    OBSERVE,

    /**
     * Queues the transactions of this JVM that lock the same row: a few wait at the server, and the others wait in the
     * JVM. When enough JVMs contend for the row, Rowlock first acquires an advisory lock for the row, in the same round
     * trip as the statement. In READ COMMITTED the statement then takes its snapshot after the wait for the advisory
     * lock, and therefore reads newer data. See {@link org.rowlock.RowLocksBuilder.LockFront}.
     */
    QUEUE
}
