package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * A call asked for more distinct advisory locks than its budget allows (default 1,000). Refused before any SQL:
 * nothing is locked and the transaction stays usable.
 *
 * @see RowLocksBuilder#lockBudget(int)
 */
public final class LockBudgetExceededException extends RowlockException {
    private static final long serialVersionUID = 1;

    LockBudgetExceededException(Exceptions.Parts parts) {
        super(parts, false);
    }
}
