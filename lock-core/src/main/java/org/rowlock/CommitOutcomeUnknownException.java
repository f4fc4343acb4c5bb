package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A COMMIT was sent, and it is unknown whether the transaction has committed. Usually the connection was lost before
 * the server's answer arrived. Other causes are an error of a pool or proxy, and a cancel request during the commit.
 * After a cancel request, the server's answer does not show the outcome. After a lost connection the exception has the
 * SQLSTATE of its cause, such as 08006 or 57P01. In all other cases the SQLSTATE is 08007, even after a transaction
 * timeout (25P04) or a reconnect of the AWS driver (08S02). If the transaction has committed, and only its durability
 * is unknown, the exception is a {@link CommitNotConfirmedException} with SQLSTATE RL001.
 *
 * <p>Do not simply run the work again, because the work could then be done twice. First check whether the work is
 * stored, or make the work idempotent, for example by a unique constraint on an id of the work. After a lost
 * connection, the transaction may still wait for a lock at the server and commit later. Rowlock tries for up to 1.5
 * seconds to end the transaction, but may fail. Therefore check in a transaction that first locks the same keys.
 */
public sealed class CommitOutcomeUnknownException extends RowlockException permits CommitNotConfirmedException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE that {@link #sqlState()} returns, or null
     * @param cause the cause of this exception, or null
     */
    public CommitOutcomeUnknownException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
