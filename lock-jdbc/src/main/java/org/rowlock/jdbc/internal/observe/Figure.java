package org.rowlock.jdbc.internal.observe;

/** The figures that the drop-in counts for each table. A {@code passed} figure says why statements entered no queue. */
public enum Figure {
    RECOGNISED("recognised"),
    QUEUED("queued"),
    WOULD_QUEUE("wouldQueue"),
    /** The total time that statements spent in the queue, counted in nanoseconds and shown in milliseconds. */
    QUEUED_TIME("queuedMillis"),
    FRONTED("fronted"),
    FRONT_GIVEN_UP("frontGivenUp"),
    /** The writes that Rowlock kept in memory and later sent, or dropped in a rollback. */
    KEPT("kept"),
    GROUPED("grouped"),
    GROUPS("groups"),
    GROUPS_UNDONE("groupsUndone"),
    /**
     * The UPDATEs that joined no group because of their text or values: an unknown function, or a value that Rowlock
     * cannot copy, such as a stream.
     */
    ALONE_STATEMENT("alone.STATEMENT"),
    /** The UPDATEs that joined no group because their session was altered, or may have been. */
    ALONE_SESSION("alone.SESSION"),
    /** The UPDATEs that joined no group because of triggers, rules, policies, partitions or deferred constraints. */
    ALONE_TABLE("alone.TABLE"),

    /** A plain read, a setting, or the beginning or end of a transaction. */
    NOT_LOCKING("passed.NOT_LOCKING"),
    /** A form that never queues: an INSERT, a join, a condition with OR, NOWAIT, SKIP LOCKED, a shared mode. */
    OTHER_FORM("passed.OTHER_FORM"),
    /** The transaction may hold locks already. */
    NOT_FIRST("passed.NOT_FIRST"),
    /** The thread has already queued through {@code @RowLock} or the API. */
    ADMITTED("passed.ADMITTED"),
    /** A batch of several executions. */
    BATCH("passed.BATCH"),
    /** The primary key of the table is not known yet. Rowlock looks up the key when the transaction ends. */
    TABLE_UNKNOWN("passed.TABLE_UNKNOWN"),
    /** The statement lacks a value of a supported type for a column of the primary key, or there is no primary key. */
    NO_KEY("passed.NO_KEY"),
    /** The settings exclude the table. */
    EXCLUDED("passed.EXCLUDED");

    private final String text;

    Figure(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
