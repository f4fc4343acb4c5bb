package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * The admission queue of a key has as many waiters as it may (default 10,000). No connection was borrowed.
 *
 * @see RowLocksBuilder#maxWaitersPerKey(int)
 */
public final class AdmissionRejectedException extends RowlockException {
    private static final long serialVersionUID = 1;

    AdmissionRejectedException(Exceptions.Parts parts) {
        super(parts, true);
    }
}
