package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A COMMIT was sent, and it is unknown whether the transaction has committed. The connection was lost before the
 * server's answer arrived, or a cancel arrived during the commit, so that the answer does not show the outcome. The
 * SQLSTATE is the SQLSTATE of the cause, such as 08006 or 57P01. After a cancel, and after a reconnect of the AWS
 * driver (08S02), the SQLSTATE is 08007. If the transaction has committed, and only its durability is unknown, the
 * exception is a {@link CommitNotConfirmedException}.
 *
 * <p>Do not simply run the work again, because the work may then be done twice. First check whether the work is stored,
 * or make the work idempotent, for example by a unique constraint on an id of the work. The lost transaction may still
 * wait for a lock at the server and commit later. Rowlock has tried for 0.5 to 1.5 seconds to end that transaction, but
 * may have failed. Therefore check in a transaction that has first locked the same keys.
 */
public sealed class CommitOutcomeUnknownException extends RowlockException permits CommitNotConfirmedException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE of the server, or the SQLSTATE that FOR UPDATE would have raised; null if there is
     *     none
     * @param cause the exception that caused this one, or null
     */
    public CommitOutcomeUnknownException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
