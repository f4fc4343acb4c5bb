package org.rowlock.internal.text;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.AdmissionRejectedException;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockBudgetExceededException;
import org.rowlock.LockCanceledException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockDeadlockException;
import org.rowlock.LockInterruptedException;
import org.rowlock.LockNotAvailableException;
import org.rowlock.LockSerializationException;
import org.rowlock.LockTableFullException;
import org.rowlock.LockTargetException;
import org.rowlock.LockTransactionException;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.LockVerificationException;
import org.rowlock.RowAbsentException;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;

/** The public exceptions, whose constructors are nobody else's. */
public final class Exceptions {
    /** The constructor of each, which come from their root. */
    private static volatile @Nullable Map<Class<?>, Function<Parts, RowlockException>> constructors;

    private Exceptions() {}

    /**
     * What an exception is made of.
     *
     * @param detail what it knows beyond others, as its constructor expects it
     */
    public record Parts(
            String message,
            @Nullable String sqlState,
            @Nullable Throwable cause,
            Object detail) {}

    public static void madeBy(Map<Class<?>, Function<Parts, RowlockException>> given) {
        constructors = given;
    }

    private static <E extends RowlockException> E make(
            Class<E> type, String message, @Nullable String sqlState, @Nullable Throwable cause, Object detail) {
        if (constructors == null) {
            try {
                MethodHandles.lookup().ensureInitialized(RowlockException.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        Function<Parts, RowlockException> constructor =
                requireNonNull(requireNonNull(constructors).get(type));
        return type.cast(constructor.apply(new Parts(message, sqlState, cause, detail)));
    }

    private static <E extends RowlockException> E make(
            Class<E> type, String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return make(type, message, sqlState, cause, "");
    }

    public static AdmissionRejectedException rejected(String message) {
        return make(AdmissionRejectedException.class, message, null, null);
    }

    public static CommitNotConfirmedException notConfirmed(String message, SQLException cause) {
        return make(CommitNotConfirmedException.class, message, SqlState.COMMIT_NOT_CONFIRMED, cause);
    }

    public static CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause) {
        return make(CommitOutcomeUnknownException.class, message, cause.getSQLState(), cause);
    }

    public static LockBudgetExceededException overBudget(String message) {
        return make(LockBudgetExceededException.class, message, null, null);
    }

    public static LockCanceledException canceled(String message, SQLException cause) {
        return make(LockCanceledException.class, message, cause.getSQLState(), cause);
    }

    public static LockConnectionLostException connectionLost(String message, SQLException cause) {
        return make(LockConnectionLostException.class, message, cause.getSQLState(), cause);
    }

    public static LockDeadlockException deadlock(String message, SQLException cause) {
        return make(LockDeadlockException.class, message, cause.getSQLState(), cause);
    }

    public static LockInterruptedException interrupted(String message, InterruptedException cause) {
        return make(LockInterruptedException.class, message, null, cause);
    }

    public static LockNotAvailableException notAvailable(
            String message, boolean transactionUsable, @Nullable Throwable cause) {
        return make(LockNotAvailableException.class, message, SqlState.LOCK_NOT_AVAILABLE, cause, transactionUsable);
    }

    public static LockSerializationException serialization(String message, @Nullable Throwable cause) {
        return make(LockSerializationException.class, message, SqlState.SERIALIZATION_FAILURE, cause);
    }

    public static LockTableFullException tableFull(String message, SQLException cause) {
        return make(LockTableFullException.class, message, cause.getSQLState(), cause);
    }

    public static LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return make(LockTargetException.class, message, sqlState, cause, false);
    }

    public static LockTargetException target(String message) {
        return target(message, null, null);
    }

    public static LockTargetException stale(String message) {
        return make(LockTargetException.class, message, null, null, true);
    }

    public static LockTransactionException transaction(
            Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return make(LockTransactionException.class, message, sqlState, cause, reason);
    }

    public static LockTransactionException transaction(Reason reason, String message) {
        return transaction(reason, message, null, null);
    }

    public static LockVerificationException verification(
            String message, boolean conclusive, @Nullable Throwable cause) {
        return make(LockVerificationException.class, message, null, cause, conclusive);
    }

    public static RowAbsentException rowAbsent(String message) {
        return make(RowAbsentException.class, message, null, null);
    }

    public static UnexpectedRowCountException unexpectedRowCount(
            String message, boolean tooFew, @Nullable Throwable cause) {
        // As INTO STRICT: no_data_found, too_many_rows.
        return make(UnexpectedRowCountException.class, message, tooFew ? "P0002" : "P0003", cause);
    }

    public static RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return make(RowlockException.class, message, sqlState, cause);
    }

    public static RowlockException other(String message, SQLException cause) {
        return other(message, cause.getSQLState(), cause);
    }
}
