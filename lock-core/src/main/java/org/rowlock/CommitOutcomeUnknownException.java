package org.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A COMMIT was sent, and it is unknown whether the transaction has committed. The connection was lost before the
 * server's answer arrived, or a cancel arrived during the commit, so that the answer does not show the outcome. The
 * SQLSTATE is that of the cause, such as 08006 or 57P01. It is 08007 after a cancel, and if the AWS driver has
 * connected again (08S02). If the transaction has committed, and only its durability is unknown, the exception is a
 * {@link CommitNotConfirmedException}.
 *
 * <p>Do not simply run the work again, because it may then be done twice. Check first whether it is stored, or make it
 * idempotent, for example by a unique id of the work with a unique constraint. The lost transaction may still wait for
 * a lock at the server and commit later. Rowlock has tried to end it for 0.5 to 1.5 seconds, but may have failed.
 * Therefore check in a transaction that has first locked the same keys.
 */
public sealed class CommitOutcomeUnknownException extends RowlockException permits CommitNotConfirmedException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param message what was requested, why it failed, and what to do
     * @param sqlState the SQLSTATE of the server, or the one that FOR UPDATE would have given; null if there is none
     * @param cause the exception behind it, or null
     */
    public CommitOutcomeUnknownException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, sqlState, cause, false);
    }
}
