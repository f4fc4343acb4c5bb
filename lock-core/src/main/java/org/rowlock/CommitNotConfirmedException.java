package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The transaction has committed on this server and is visible to other transactions, but it is possibly not durable
 * yet. The wait for the disk or the synchronous standby was interrupted, for example by a cancel. A crash or a failover
 * can still lose the transaction. The SQLSTATE is Rowlock's own, RL001, because programs retry after some standard
 * SQLSTATEs. The SQLSTATE of the cause shows why the wait ended, such as 57014 after a cancel or 01000 after a warning.
 *
 * <p>Never run the work again. Before anything outside the database relies on the commit, check whether the commit has
 * reached the standby. Code that handles only {@link CommitOutcomeUnknownException}, and checks whether the work is
 * stored, is correct for this exception too.
 */
public final class CommitNotConfirmedException extends CommitOutcomeUnknownException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public CommitNotConfirmedException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause);
    }
}
