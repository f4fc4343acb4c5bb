package org.rowlock.jdbc.internal.statement;

/** Why a statement goes to the server as it is. */
public enum PassReason {
    /** A plain read, a setting, or the begin or end of a transaction. */
    NOT_LOCKING,

    /** An INSERT, a MERGE, a CALL or another statement that may lock, but no row that its text names. */
    OTHER_WRITE,

    /** More than one table, or a subquery or a function in place of the table. */
    JOIN,

    /** Begins with WITH and may lock. */
    WITH,

    /** No equality on all columns of the primary key. */
    NO_KEY,

    /** A list of several rows. */
    SEVERAL_ROWS,

    /** Conditions with OR. */
    OR,

    /** More than one statement in the text. */
    SEVERAL_STATEMENTS,

    /** WHERE CURRENT OF. */
    CURSOR,

    /** Something that the recogniser does not know. */
    UNKNOWN_FORM,

    /** A text too long to look at. */
    TOO_LONG,

    /** The transaction may hold locks already. */
    NOT_FIRST,

    /** NOWAIT or SKIP LOCKED, which never wait. */
    NO_WAIT,

    /** FOR SHARE or FOR KEY SHARE. */
    SHARED,

    /** A batch of several rows. */
    BATCH,

    /** The primary key of the table is not known yet: looked up when the transaction ends. */
    TABLE_UNKNOWN,

    /** No table with a primary key: a view, a table without one, or a name that leads nowhere. */
    NO_PRIMARY_KEY,

    /** A value of the key is null, or of a type that is not looked at. */
    KEY_VALUE,

    /** The settings leave the table out. */
    EXCLUDED
}
