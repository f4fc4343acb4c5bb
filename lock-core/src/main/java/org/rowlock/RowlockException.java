package org.rowlock;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

    RowlockException(Exceptions.Parts parts, boolean retryable) {
        super(parts.message(), parts.cause());
        this.sqlState = parts.sqlState();
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

    /** {@return the server's SQLSTATE, or the one that {@code FOR UPDATE} would have given; empty if there is none} */
    public Optional<String> sqlState() {
        return Optional.ofNullable(sqlState);
    }

    static {
        Exceptions.madeBy(constructors());
    }

    /** For the rooms inside, which cannot see them. */
    private static Map<Class<?>, Function<Exceptions.Parts, RowlockException>> constructors() {
        Map<Class<?>, Function<Exceptions.Parts, RowlockException>> constructors = new HashMap<>();
        constructors.put(AdmissionRejectedException.class, AdmissionRejectedException::new);
        constructors.put(CommitNotConfirmedException.class, CommitNotConfirmedException::new);
        constructors.put(CommitOutcomeUnknownException.class, CommitOutcomeUnknownException::new);
        constructors.put(LockBudgetExceededException.class, LockBudgetExceededException::new);
        constructors.put(LockCanceledException.class, LockCanceledException::new);
        constructors.put(LockConnectionLostException.class, LockConnectionLostException::new);
        constructors.put(LockDeadlockException.class, LockDeadlockException::new);
        constructors.put(LockInterruptedException.class, LockInterruptedException::new);
        constructors.put(LockNotAvailableException.class, LockNotAvailableException::new);
        constructors.put(LockSerializationException.class, LockSerializationException::new);
        constructors.put(LockTableFullException.class, LockTableFullException::new);
        constructors.put(LockTargetException.class, LockTargetException::new);
        constructors.put(LockTransactionException.class, LockTransactionException::new);
        constructors.put(LockVerificationException.class, LockVerificationException::new);
        constructors.put(RowAbsentException.class, RowAbsentException::new);
        constructors.put(RowlockException.class, parts -> new RowlockException(parts, false));
        constructors.put(UnexpectedRowCountException.class, UnexpectedRowCountException::new);
        return constructors;
    }
}
