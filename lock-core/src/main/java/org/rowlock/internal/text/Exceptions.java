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

/** Makes the public exceptions, whose constructors are nobody else's. */
public abstract class Exceptions {
    private static volatile @Nullable Exceptions made;

    /** Known to the root of the exceptions, which has to be loaded for it. */
    protected Exceptions() {
        made = this;
    }

    /** The one that makes them. */
    public static Exceptions make() {
        if (made == null) {
            try {
                MethodHandles.lookup().ensureInitialized(RowlockException.class);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return Objects.requireNonNull(made);
    }

    public abstract AdmissionRejectedException rejected(String message);

    public abstract CommitNotConfirmedException notConfirmed(String message, SQLException cause);

    public abstract CommitOutcomeUnknownException outcomeUnknown(String message, SQLException cause);

    public abstract LockBudgetExceededException overBudget(String message, int keys);

    public abstract LockCanceledException canceled(String message, SQLException cause);

    public abstract LockConnectionLostException connectionLost(String message, SQLException cause);

    public abstract LockDeadlockException deadlock(String message, SQLException cause);

    public abstract LockInterruptedException interrupted(String message, InterruptedException cause);

    public abstract LockNotAvailableException notAvailable(
            String message, boolean transactionUsable, @Nullable Throwable cause);

    public abstract LockSerializationException serialization(String message, @Nullable Throwable cause);

    public abstract LockTableFullException tableFull(String message, int keys, SQLException cause);

    public abstract LockTargetException target(String message, @Nullable String sqlState, @Nullable Throwable cause);

    public abstract LockTargetException stale(String message);

    public abstract LockTransactionException transaction(
            Reason reason, String message, @Nullable String sqlState, @Nullable Throwable cause);

    public abstract LockVerificationException verification(
            String message, boolean conclusive, @Nullable Throwable cause);

    public abstract RowAbsentException rowAbsent(String message);

    public abstract UnexpectedRowCountException unexpectedRowCount(
            String message, long expected, long found, @Nullable Throwable cause);

    public RowlockException other(String message, SQLException cause) {
        return other(message, cause.getSQLState(), cause);
    }

    public abstract RowlockException other(String message, @Nullable String sqlState, @Nullable Throwable cause);
}
