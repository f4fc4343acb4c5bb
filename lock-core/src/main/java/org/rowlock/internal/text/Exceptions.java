package org.rowlock.internal.text;

import java.lang.invoke.MethodHandles;
import java.sql.SQLException;
import java.util.Objects;
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
    private static volatile @Nullable Maker maker;

    private Exceptions() {}

    /** Sees the constructors. */
    public interface Maker {
        <E extends RowlockException> E plain(
                Class<E> type, String message, @Nullable String sqlState, @Nullable Throwable cause);

        LockBudgetExceededException overBudget(String message, int keys);

        LockNotAvailableException notAvailable(String message, boolean transactionUsable, @Nullable Throwable cause);

        LockTableFullException tableFull(String message, int keys, SQLException cause);

        LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause, boolean stale);

        LockTransactionException transaction(
                Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause);

        LockVerificationException verification(String message, boolean conclusive, @Nullable Throwable cause);

        UnexpectedRowCountException unexpectedRowCount(
                String message, long expected, long found, @Nullable Throwable cause);
    }

    /** Comes from the root of the exceptions. */
    public static void madeBy(Maker given) {
        maker = given;
    }

    private static Maker maker() {
        if (maker == null) {
            try {
                MethodHandles.lookup().ensureInitialized(RowlockException.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return Objects.requireNonNull(maker);
    }

    public static AdmissionRejectedException rejected(String message) {
        return maker().plain(AdmissionRejectedException.class, message, null, null);
    }

    public static CommitNotConfirmedException notConfirmed(String message, SQLException cause) {
        return maker().plain(CommitNotConfirmedException.class, message, SqlState.COMMIT_NOT_CONFIRMED, cause);
    }

    public static CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause) {
        return maker().plain(CommitOutcomeUnknownException.class, message, cause.getSQLState(), cause);
    }

    public static LockBudgetExceededException overBudget(String message, int keys) {
        return maker().overBudget(message, keys);
    }

    public static LockCanceledException canceled(String message, SQLException cause) {
        return maker().plain(LockCanceledException.class, message, cause.getSQLState(), cause);
    }

    public static LockConnectionLostException connectionLost(String message, SQLException cause) {
        return maker().plain(LockConnectionLostException.class, message, cause.getSQLState(), cause);
    }

    public static LockDeadlockException deadlock(String message, SQLException cause) {
        return maker().plain(LockDeadlockException.class, message, cause.getSQLState(), cause);
    }

    public static LockInterruptedException interrupted(String message, InterruptedException cause) {
        return maker().plain(LockInterruptedException.class, message, null, cause);
    }

    public static LockNotAvailableException notAvailable(
            String message, boolean transactionUsable, @Nullable Throwable cause) {
        return maker().notAvailable(message, transactionUsable, cause);
    }

    public static LockSerializationException serialization(String message, @Nullable Throwable cause) {
        return maker().plain(LockSerializationException.class, message, SqlState.SERIALIZATION_FAILURE, cause);
    }

    public static LockTableFullException tableFull(String message, int keys, SQLException cause) {
        return maker().tableFull(message, keys, cause);
    }

    public static LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return maker().target(message, sqlState, cause, false);
    }

    public static LockTargetException stale(String message) {
        return maker().target(message, null, null, true);
    }

    public static LockTransactionException transaction(
            Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return maker().transaction(reason, message, sqlState, cause);
    }

    public static LockVerificationException verification(
            String message, boolean conclusive, @Nullable Throwable cause) {
        return maker().verification(message, conclusive, cause);
    }

    public static RowAbsentException rowAbsent(String message) {
        return maker().plain(RowAbsentException.class, message, null, null);
    }

    public static UnexpectedRowCountException unexpectedRowCount(
            String message, long expected, long found, @Nullable Throwable cause) {
        return maker().unexpectedRowCount(message, expected, found, cause);
    }

    public static RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return maker().plain(RowlockException.class, message, sqlState, cause);
    }

    public static RowlockException other(String message, SQLException cause) {
        return other(message, cause.getSQLState(), cause);
    }
}
