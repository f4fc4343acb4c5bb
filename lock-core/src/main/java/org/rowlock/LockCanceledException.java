package org.rowlock;

/**
 * The wait was ended from outside: {@code statement_timeout}, {@code pg_cancel_backend} or a cancel request (SQLSTATE
 * 57014). The transaction is aborted, as with {@code FOR UPDATE}.
 */
public final class LockCanceledException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockCanceledException(Parts parts) {
        super(parts, true);
    }
}
