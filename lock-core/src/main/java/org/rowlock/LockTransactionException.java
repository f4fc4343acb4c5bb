package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * The connection or its transaction is of a kind that a lock cannot be taken in. No lock was taken. {@link #reason()}
 * names what is wrong.
 *
 * <p>The transaction is as usable as it was before, with one exception: where other statements follow the lock in the
 * same round trip ({@link LockStrategy#BOTH}, a query behind the lock) a read-only or too isolated transaction that had
 * begun is aborted, to keep these from running.
 */
public final class LockTransactionException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** What is wrong with the transaction. */
    public enum Reason {
        /** The connection is closed. */
        CLOSED,

        /** The connection is in autocommit: the lock would be gone at once. */
        AUTOCOMMIT,

        /** An earlier statement failed; PostgreSQL ignores everything until the transaction is rolled back (25P02). */
        ABORTED,

        /** The transaction is read-only, or the server is a hot standby (25006). */
        READ_ONLY,

        /**
         * The transaction is REPEATABLE READ or SERIALIZABLE and has begun: it would read from a snapshot older than
         * the lock.
         */
        ISOLATION,

        /** The connection is not one of the PostgreSQL JDBC driver, nor unwraps to one. */
        NOT_POSTGRESQL,

        /** The driver is set up so that it cannot send several statements at once: a negative prepareThreshold. */
        DRIVER_SETTINGS,

        /**
         * Code that runs in the transaction (the work, a row mapper, a listener) has ended it, and its locks with it.
         */
        ENDED
    }

    /** What is wrong. */
    private final Reason reason;

    LockTransactionException(Exceptions.Parts parts) {
        super(parts, false);
        this.reason = (Reason) parts.detail();
    }

    /** {@return what is wrong} */
    public Reason reason() {
        return reason;
    }
}
