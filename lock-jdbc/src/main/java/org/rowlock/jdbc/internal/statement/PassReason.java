package org.rowlock.jdbc.internal.statement;

/** The reason why a statement goes to the server without queueing. */
public enum PassReason {
    /** A plain read, a setting, or the beginning or end of a transaction. */
    NOT_LOCKING,

    /**
     * An INSERT, a MERGE, a CALL or another statement that may lock rows, but does not identify these rows in its text.
     */
    OTHER_WRITE,

    /** More than one table, or a subquery or a function in place of the table. */
    JOIN,

    /** A statement that begins with WITH and may lock rows. */
    WITH,

    /** The equalities do not include all columns of the primary key. */
    NO_KEY,

    /** An IN list that names several rows. */
    SEVERAL_ROWS,

    /** Conditions with OR. */
    OR,

    /** More than one statement in the text. */
    SEVERAL_STATEMENTS,

    /** The row of a cursor: WHERE CURRENT OF. */
    CURSOR,

    /** A form that the recogniser does not know. */
    UNKNOWN_FORM,

    /** A text that is too long to be examined. */
    TOO_LONG,

    /** The transaction may hold locks already. */
    NOT_FIRST,

    /** The thread has already queued through {@code @RowLock} or the API. */
    ADMITTED,

    /** A statement with NOWAIT or SKIP LOCKED, which never waits. */
    NO_WAIT,

    /** A SELECT with FOR SHARE or FOR KEY SHARE. */
    SHARED,

    /** A batch of several executions. */
    BATCH,

    /** The primary key of the table is not known yet. Rowlock looks up the key when the transaction ends. */
    TABLE_UNKNOWN,

    /** The name belongs to a table without a primary key or to a view, or the name does not exist. */
    NO_PRIMARY_KEY,

    /** A value of the key is null, or its type is not supported. */
    KEY_VALUE,

    /** The settings exclude the table. */
    EXCLUDED
}
