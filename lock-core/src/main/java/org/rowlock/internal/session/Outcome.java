package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.sql.LockCheck;

/** The outcome of a flush that locks. {@link LockErrors#ofOutcome} turns an outcome into an exception. */
public sealed interface Outcome {
    /**
     * The server has reported no error, and the transaction should hold the locks of all requested keys and of all
     * requested rows that exist. {@code HeldLocks} checks the locks. The caller's statements have run.
     *
     * @param check the result of the check in the statement of the advisory locks; null if there was no check
     * @param misnamed a key whose id is a non-canonical spelling of the row's id, or null
     */
    record Held(
            @Nullable LockCheck check,
            List<LockKey> absent,
            @Nullable Misnamed misnamed) implements Outcome {
        /** Whether all keys and rows are locked, and Rowlock has nothing to check. */
        public boolean isComplete(ResolvedRequest request) {
            return absent.isEmpty()
                    && misnamed == null
                    && locked() == request.advisory().size();
        }

        /** Returns the number of advisory locks that the flush has acquired. */
        public int locked() {
            return check == null ? 0 : check.locked();
        }
    }

    /**
     * Another transaction holds a lock. The transaction is as usable as before the call, and holds no new lock.
     *
     * @param mayBeOfTail whether the caller's query or write may have waited for the lock
     */
    record NotAvailable(boolean mayBeOfTail, @Nullable SQLException cause) implements Outcome {
        public static final NotAvailable AT_ONCE = new NotAvailable(false, null);
    }

    /**
     * A table, its primary key or the type of its id has changed since it was looked up.
     *
     * @param undone whether the transaction is in the same state as before the call
     */
    record Stale(boolean undone) implements Outcome {}

    /** The front lock could not be acquired in time. The transaction is in the same state as before the call. */
    record FrontGivenUp() implements Outcome {}

    /** A required row is absent, so the COMMIT did not run. The transaction is in the same state as before the call. */
    record Absent() implements Outcome {}

    /** The check refused the lock, because it would be useless in this transaction or for this table. */
    record Refused(LockCheck check, @Nullable SQLException cause) implements Outcome {}

    /**
     * The server, the driver or the network failed.
     *
     * @param cause the exception of the driver. A COMMIT in the flush may have been executed
     * @param meaning the exception for the caller; null if the caller's own statements have failed
     */
    record Failed(SQLException cause, @Nullable RowlockException meaning) implements Outcome {}
}
