package org.rowlock;

/**
 * The connection broke, or the server ended it, while waiting for the lock or before (SQLSTATE 08xxx, 57P01, 57P02,
 * 57P05, 25P03 or 25P04), or in the work before its commit was sent. The transaction is gone, and with it every lock it
 * held and all it had written; nothing stays held on the server.
 */
public final class LockConnectionLostException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockConnectionLostException(Parts parts) {
        super(parts, true);
    }
}
