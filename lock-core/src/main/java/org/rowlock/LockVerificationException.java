package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * {@link RowLocks#verify} did not find that locks exclude through a DataSource. Where that is {@linkplain
 * #isConclusive() conclusive} the server, or a pooler in front of it, was seen not to do what locks need: the message
 * says what, and what to do. Otherwise it could not be tried, as no two connections were to be had or one was lost.
 */
public final class LockVerificationException extends RowlockException {
    private static final long serialVersionUID = 1;

    /** Whether the DataSource was seen to be wrong. */
    private final boolean conclusive;

    LockVerificationException(String message, boolean conclusive, @Nullable Throwable cause) {
        super(message, null, cause, false);
        this.conclusive = conclusive;
    }

    /**
     * Whether the DataSource was seen not to do what locks need.
     *
     * @return false if that could not be tried, so that another try may show it
     */
    public boolean isConclusive() {
        return conclusive;
    }
}
