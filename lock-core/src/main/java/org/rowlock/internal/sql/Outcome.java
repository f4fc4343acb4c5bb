package org.rowlock.internal.sql;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;

/** The outcome of a flush that locks. {@code LockErrors.ofOutcome} turns an outcome without locks into an exception. */
public sealed interface Outcome {
    String READ_COMMITTED = "read committed";

    static boolean isReadCommitted(String isolation) {
        return isolation.equals(READ_COMMITTED) || isolation.equals("read uncommitted");
    }

    /**
     * The server has reported no error, and the transaction should hold the locks of all requested keys and of all
     * requested rows that exist. {@code HeldLocks} checks the locks. The caller's statements have run.
     *
     * @param locked the number of acquired advisory locks
     * @param isolation the isolation level, as the server spells it; READ COMMITTED if the flush did not read the level
     */
    record Held(int locked, String isolation, List<LockKey> absent) implements Outcome {
        /** Whether all keys and rows are locked, so that nothing remains to be checked. */
        public boolean isComplete(ResolvedRequest request) {
            return absent.isEmpty() && locked == request.advisory().size();
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
     * A table, its primary key or the type of its id has changed since Rowlock looked up the table.
     *
     * @param undone whether the transaction is in the same state as before the call
     */
    record Stale(boolean undone) implements Outcome {}

    /** The front lock could not be acquired in time. The transaction is in the same state as before the call. */
    record FrontGivenUp() implements Outcome {}

    /** A required row is absent, so the COMMIT did not run. The transaction is in the same state as before the call. */
    record Absent() implements Outcome {}

    /**
     * The check refused the lock, because the lock would be useless in this transaction or for this table.
     *
     * @param isolation the transaction's isolation level, as the server spells it
     * @param table {@link #NOT_A_TABLE} or {@link #NO_PRIVILEGE} if a table is the reason for the refusal; otherwise
     *     empty. The name of the table follows if the keys may be of different tables
     */
    record Refused(
            String isolation,
            boolean isReadOnly,
            String table,
            @Nullable SQLException cause) implements Outcome {
        static final String NOT_A_TABLE = "?";
        static final String NO_PRIVILEGE = "!";

        public boolean isPrivilegeMissing() {
            return table.startsWith(NO_PRIVILEGE);
        }

        /**
         * Returns this outcome with a cause that omits the message of the server, because that message contains the
         * mark of {@link LockCheckSql}. The cause is null if only the isolation level was refused.
         */
        public Refused by(SQLException raised) {
            SQLException safe = isSnapshotStale() ? null : new SQLException("Refused", raised.getSQLState());
            return new Refused(isolation, isReadOnly, table, safe);
        }

        /** Whether the lock was refused only because of the isolation level. */
        public boolean isSnapshotStale() {
            return table.isEmpty() && !isReadOnly && !isReadCommitted(isolation);
        }
    }

    /**
     * The server, the driver or the network failed.
     *
     * @param cause the exception of the driver. A COMMIT in the flush may have been executed
     * @param meaning the exception for the caller; null if the caller's own statements have failed
     */
    record Failed(SQLException cause, @Nullable RowlockException meaning) implements Outcome {}
}
