package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.sql.LockCheck;

/** The outcome of a flush that locks. {@link LockErrors#ofOutcome} turns it into an exception. */
public sealed interface Outcome {
    /**
     * The transaction holds the locks of every requested key, and of every requested row that exists. The caller's
     * statements have run.
     *
     * @param check the finding of the check in the advisory lock's statement, or null if there was none
     * @param absent the keys whose rows were looked up and do not exist
     * @param misnamed a key whose id is another spelling of the row's id, or null
     */
    record Held(
            @Nullable LockCheck check,
            List<LockKey> absent,
            @Nullable Misnamed misnamed) implements Outcome {
        /** Whether all keys and rows are locked, each row under its own key, so that nothing is left to check. */
        public boolean isComplete(ResolvedRequest request) {
            return absent.isEmpty()
                    && misnamed == null
                    && locked() == request.advisory().size();
        }

        /** Returns how many advisory keys the flush has locked. */
        public int locked() {
            return check == null ? 0 : check.locked();
        }
    }

    /**
     * Another transaction holds a lock. No new lock is held, and the transaction is as usable as before.
     *
     * @param mayBeOfTail whether the caller's query, or a write, may have waited for that lock
     * @param cause the error that ended the wait
     */
    record NotAvailable(boolean mayBeOfTail, @Nullable SQLException cause) implements Outcome {
        public static final NotAvailable AT_ONCE = new NotAvailable(false, null);
    }

    /**
     * A table, its primary key or the type of its id has changed since it was looked up.
     *
     * @param undone whether the transaction is as it was before the call
     */
    record Stale(boolean undone) implements Outcome {}

    /** The front lock could not be acquired in time. The transaction is as it was before. */
    record FrontGivenUp() implements Outcome {}

    /** A required row is absent, so the COMMIT did not run. The transaction is as it was before. */
    record Absent() implements Outcome {}

    /**
     * The check refused the lock, because it would be useless in this kind of transaction, or cannot be acquired for
     * this table.
     */
    record Refused(LockCheck check, @Nullable SQLException cause) implements Outcome {}

    /**
     * The server, the driver or the network failed.
     *
     * @param cause the exception of the driver; it does not show whether a COMMIT in the flush was executed
     * @param meaning the exception that explains the cause to the caller, or null if the cause concerns the caller's
     *     own statements
     */
    record Failed(SQLException cause, @Nullable RowlockException meaning) implements Outcome {}
}
