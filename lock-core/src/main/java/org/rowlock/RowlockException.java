package org.rowlock;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

    /** Whether the whole transaction may succeed if it is run again. */
    private final boolean retryable;

    RowlockException(String message, @Nullable String sqlState, @Nullable Throwable cause, boolean retryable) {
        super(message, cause);
        this.sqlState = sqlState;
        this.retryable = retryable;
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
     * interrupted or cancelled should rather stop. True of {@link AdmissionRejectedException}, {@link
     * LockCanceledException}, {@link LockConnectionLostException}, {@link LockDeadlockException}, {@link
     * LockInterruptedException}, {@link LockNotAvailableException}, {@link LockSerializationException} and {@link
     * LockTableFullException}, and of a {@link LockTargetException} for a table that was replaced meanwhile.
     *
     * @return false where it will fail again, or where nobody knows what is stored
     */
    public boolean isRetryable() {
        return retryable;
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
        private static final Map<Class<? extends RowlockException>, Plain> PLAIN = Map.ofEntries(
                entry(AdmissionRejectedException.class, AdmissionRejectedException::new),
                entry(CommitNotConfirmedException.class, CommitNotConfirmedException::new),
                entry(CommitOutcomeUnknownException.class, CommitOutcomeUnknownException::new),
                entry(LockCanceledException.class, LockCanceledException::new),
                entry(LockConnectionLostException.class, LockConnectionLostException::new),
                entry(LockDeadlockException.class, LockDeadlockException::new),
                entry(LockInterruptedException.class, LockInterruptedException::new),
                entry(LockSerializationException.class, LockSerializationException::new),
                entry(RowAbsentException.class, RowAbsentException::new),
                entry(
                        RowlockException.class,
                        (message, state, cause) -> new RowlockException(message, state, cause, false)));

        /** The constructor of those that say no more than their type does. */
        private interface Plain {
            RowlockException make(String message, @Nullable String sqlState, @Nullable Throwable cause);
        }

        private static Map.Entry<Class<? extends RowlockException>, Plain> entry(
                Class<? extends RowlockException> type, Plain constructor) {
            return Map.entry(type, constructor);
        }

        @Override
        public <E extends RowlockException> E plain(
                Class<E> type, String message, @Nullable String sqlState, @Nullable Throwable cause) {
            return type.cast(Objects.requireNonNull(PLAIN.get(type)).make(message, sqlState, cause));
        }

        @Override
        public LockBudgetExceededException overBudget(String message, int keys) {
            return new LockBudgetExceededException(message, keys);
        }

        @Override
        public LockNotAvailableException notAvailable(
                String message, boolean transactionUsable, @Nullable Throwable cause) {
            return new LockNotAvailableException(message, transactionUsable, cause);
        }

        @Override
        public LockTableFullException tableFull(String message, int keys, SQLException cause) {
            return new LockTableFullException(message, keys, cause);
        }

        @Override
        public LockTargetException target(
                String message, @Nullable String sqlState, @Nullable Throwable cause, boolean stale) {
            return new LockTargetException(message, sqlState, cause, stale);
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
        public UnexpectedRowCountException unexpectedRowCount(
                String message, long expected, long found, @Nullable Throwable cause) {
            return new UnexpectedRowCountException(message, expected, found, cause);
        }
    }
}
