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
        AdmissionRejectedException rejected(String message);

        CommitNotConfirmedException notConfirmed(String message, SQLException cause);

        CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause);

        LockBudgetExceededException overBudget(String message, int keys);

        LockCanceledException canceled(String message, SQLException cause);

        LockConnectionLostException connectionLost(String message, SQLException cause);

        LockDeadlockException deadlock(String message, SQLException cause);

        LockInterruptedException interrupted(String message, InterruptedException cause);

        LockNotAvailableException notAvailable(String message, boolean transactionUsable, @Nullable Throwable cause);

        LockSerializationException serialization(String message, @Nullable Throwable cause);

        LockTableFullException tableFull(String message, int keys, SQLException cause);

        LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause);

        LockTargetException stale(String message);

        LockTransactionException transaction(
                Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause);

        LockVerificationException verification(String message, boolean conclusive, @Nullable Throwable cause);

        RowAbsentException rowAbsent(String message);

        UnexpectedRowCountException unexpectedRowCount(
                String message, long expected, long found, @Nullable Throwable cause);

        RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause);
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
        return maker().rejected(message);
    }

    public static CommitNotConfirmedException notConfirmed(String message, SQLException cause) {
        return maker().notConfirmed(message, cause);
    }

    public static CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause) {
        return maker().outcomeUnknown(message, cause);
    }

    public static LockBudgetExceededException overBudget(String message, int keys) {
        return maker().overBudget(message, keys);
    }

    public static LockCanceledException canceled(String message, SQLException cause) {
        return maker().canceled(message, cause);
    }

    public static LockConnectionLostException connectionLost(String message, SQLException cause) {
        return maker().connectionLost(message, cause);
    }

    public static LockDeadlockException deadlock(String message, SQLException cause) {
        return maker().deadlock(message, cause);
    }

    public static LockInterruptedException interrupted(String message, InterruptedException cause) {
        return maker().interrupted(message, cause);
    }

    public static LockNotAvailableException notAvailable(
            String message, boolean transactionUsable, @Nullable Throwable cause) {
        return maker().notAvailable(message, transactionUsable, cause);
    }

    public static LockSerializationException serialization(String message, @Nullable Throwable cause) {
        return maker().serialization(message, cause);
    }

    public static LockTableFullException tableFull(String message, int keys, SQLException cause) {
        return maker().tableFull(message, keys, cause);
    }

    public static LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return maker().target(message, sqlState, cause);
    }

    public static LockTargetException stale(String message) {
        return maker().stale(message);
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
        return maker().rowAbsent(message);
    }

    public static UnexpectedRowCountException unexpectedRowCount(
            String message, long expected, long found, @Nullable Throwable cause) {
        return maker().unexpectedRowCount(message, expected, found, cause);
    }

    public static RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause) {
        return maker().other(message, sqlState, cause);
    }

    public static RowlockException other(String message, SQLException cause) {
        return other(message, cause.getSQLState(), cause);
    }
}
