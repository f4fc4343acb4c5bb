package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * In REPEATABLE READ or SERIALIZABLE the row has changed since the transaction's snapshot (SQLSTATE 40001). Or, at any
 * level, a query behind a lock that found no row saw one that was inserted during the wait. The transaction must be
 * rolled back and run again. Only the strategies with a row lock raise it.
 */
public final class LockSerializationException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockSerializationException(Exceptions.Parts parts) {
        super(parts, true);
    }
}
