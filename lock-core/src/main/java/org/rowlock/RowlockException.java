package org.rowlock;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.internal.text.Docs;
import org.rowlock.internal.text.Exceptions;

/**
 * The root of Rowlock's exceptions, unchecked: a lock could not be had, a write did not do what was expected of it, or
 * a commit is in doubt. The subclasses name what can be understood, and this class itself stands for any other refusal
 * of the server.
 *
 * <p>Unless a subclass says otherwise, PostgreSQL has aborted the transaction and it must be rolled back, as with
 * {@code FOR UPDATE}.
 */
public class RowlockException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The server's, or what FOR UPDATE would have given; null where there is none. */
    private final @Nullable String sqlState;

    RowlockException(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
    }

    RowlockException(String message, SQLException cause) {
        this(message, cause.getSQLState(), cause);
    }

    /** The message, and the page that explains the exception unless the message names another. */
    @Override
    public @Nullable String getMessage() {
        String message = super.getMessage();
        return message == null || message.contains(Docs.URL)
                ? message
                : message + " (see " + Docs.URL + "errors.md#"
                        + getClass().getSimpleName().toLowerCase(Locale.ROOT) + ')';
    }

    /**
     * Reports whether the same work may succeed if it is run again from its beginning, once this transaction is rolled
     * back: nothing of it is stored, and nothing needs to be changed first. Not whether that is wanted: work that was
     * interrupted or cancelled should rather stop.
     *
     * @return false where it will fail again, or where nobody knows what is stored
     */
    public boolean isRetryable() {
        return false;
    }

    /**
     * The SQLSTATE: the server's where it raised an error, and otherwise the one that {@code FOR UPDATE} would have
     * given in its place.
     *
     * @return the SQLSTATE, or empty where there is none
     */
    public Optional<String> sqlState() {
        return Optional.ofNullable(sqlState);
    }

    static {
        Exceptions.madeBy(new Maker());
    }

    /** For the rooms inside, which cannot see the constructors. */
    private static final class Maker implements Exceptions.Maker {
        @Override
        public AdmissionRejectedException rejected(String message) {
            return new AdmissionRejectedException(message);
        }

        @Override
        public CommitNotConfirmedException notConfirmed(String message, SQLException cause) {
            return new CommitNotConfirmedException(message, cause);
        }

        @Override
        public CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause) {
            return new CommitOutcomeUnknownException(message, cause);
        }

        @Override
        public LockBudgetExceededException overBudget(String message, int keys) {
            return new LockBudgetExceededException(message, keys);
        }

        @Override
        public LockCanceledException canceled(String message, SQLException cause) {
            return new LockCanceledException(message, cause);
        }

        @Override
        public LockConnectionLostException connectionLost(String message, SQLException cause) {
            return new LockConnectionLostException(message, cause);
        }

        @Override
        public LockDeadlockException deadlock(String message, SQLException cause) {
            return new LockDeadlockException(message, cause);
        }

        @Override
        public LockInterruptedException interrupted(String message, InterruptedException cause) {
            return new LockInterruptedException(message, cause);
        }

        @Override
        public LockNotAvailableException notAvailable(
                String message, boolean transactionUsable, @Nullable Throwable cause) {
            return new LockNotAvailableException(message, transactionUsable, cause);
        }

        @Override
        public LockSerializationException serialization(String message, @Nullable Throwable cause) {
            return new LockSerializationException(message, cause);
        }

        @Override
        public LockTableFullException tableFull(String message, int keys, SQLException cause) {
            return new LockTableFullException(message, keys, cause);
        }

        @Override
        public LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause) {
            return new LockTargetException(message, sqlState, cause);
        }

        @Override
        public LockTargetException stale(String message) {
            return LockTargetException.stale(message);
        }

        @Override
        public LockTransactionException transaction(
                Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause) {
            return new LockTransactionException(reason, message, sqlState, cause);
        }

        @Override
        public LockVerificationException verification(String message, boolean conclusive, @Nullable Throwable cause) {
            return new LockVerificationException(message, conclusive, cause);
        }

        @Override
        public RowAbsentException rowAbsent(String message) {
            return new RowAbsentException(message);
        }

        @Override
        public UnexpectedRowCountException unexpectedRowCount(
                String message, long expected, long found, @Nullable Throwable cause) {
            return new UnexpectedRowCountException(message, expected, found, cause);
        }

        @Override
        public RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause) {
            return new RowlockException(message, sqlState, cause);
        }
    }
}
