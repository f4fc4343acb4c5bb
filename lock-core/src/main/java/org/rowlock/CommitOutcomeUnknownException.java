package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A COMMIT was sent, and whether it has, or will outlast a failover, cannot be known: the connection was
 * lost before the server's answer arrived, or a cancel came while the server committed, which it reports alike whether
 * it has or not. The SQLSTATE is that of the cause, such as 08006 or 57P01. Of a cancel, and where the AWS driver has
 * connected anew (08S02), it is 08007. Where it is known that it has committed, and only not whether it is
 * durable, it is a {@link CommitNotConfirmedException}.
 *
 * <p>Do not simply run the work again: if it has committed it would be done twice. Look first whether it is there, or
 * make the work such that twice is once, say with an id of its own that is inserted under a unique constraint. Rowlock
 * has tried, for half a second, at most 1.5 seconds, to end what may still wait for a lock at the server and commit
 * later. That cannot be certain, so look in a transaction that has locked the same keys first.
 */
public sealed class CommitOutcomeUnknownException extends RowlockException permits CommitNotConfirmedException {
    private static final long serialVersionUID = 1;

    /**
     * Makes one with what happened.
     *
     * @param message what was asked, why it cannot be, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public CommitOutcomeUnknownException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
