package org.rowlock;

import org.rowlock.internal.text.Exceptions;

/**
 * {@link RowLocks#verify} did not find that locks exclude through a DataSource. Where that is {@linkplain
 * #isConclusive() conclusive} the server, or a pooler in front of it, was seen not to do what locks need: the message
 * says what, and what to do. Otherwise it could not be tried, as no two connections were to be had or one was lost.
 */
public final class LockVerificationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** Whether the DataSource was seen to be wrong. */
    private final boolean conclusive;

    LockVerificationException(Exceptions.Parts parts) {
        super(parts, false);
        this.conclusive = (boolean) parts.detail();
    }

    /** {@return whether that was seen; false if it could not be tried, so that another try may show it} */
    public boolean isConclusive() {
        return conclusive;
    }
}
