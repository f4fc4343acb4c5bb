package org.rowlock.internal.session;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest.Misnamed;
import org.rowlock.internal.sql.LockCheck;

/** What became of a flush that locks. {@link LockErrors#ofOutcome} says it as an exception. */
public sealed interface Outcome {
    /**
     * All is locked that exists, and what is behind the locks has run.
     *
     * @param check what the advisory lock's check saw, or null where there was none
     * @param absent the keys whose rows were looked for and do not exist
     * @param misnamed a key whose row has another key, or null
     */
    record Held(
            @Nullable LockCheck check,
            List<LockKey> absent,
            @Nullable Misnamed misnamed) implements Outcome {}

    /**
     * Another transaction has a lock. Nothing is newly held, and the transaction is as usable as it was.
     *
     * @param mayBeOfTail whether it may be one that the query behind the locks, or a write, has waited for
     * @param cause what ended the wait
     */
    record Taken(boolean mayBeOfTail, @Nullable SQLException cause) implements Outcome {
        public static final Taken AT_ONCE = new Taken(false, null);
    }

    /**
     * A table, its primary key or the type of its id is another than was looked up.
     *
     * @param undone whether the transaction is as it was before the call
     */
    record Stale(boolean undone) implements Outcome {}

    /** The advisory key in front of the row lock could not be had in time. The transaction is as it was before. */
    record FrontGivenUp() implements Outcome {}

    /** A row that the request requires is absent, so that the COMMIT did not run. The transaction is as before. */
    record Absent() implements Outcome {}

    /** The check of the lock refused: in this kind of transaction, or of this table, a lock means nothing. */
    record Refused(LockCheck check, @Nullable SQLException cause) implements Outcome {}

    /**
     * The server, the driver or the network failed.
     *
     * @param cause what the driver threw. Whether a COMMIT in the flush was done is another question
     * @param meaning what it means for the lock, or null where it is about the caller's own statements
     */
    record Failed(SQLException cause, @Nullable RowlockException meaning) implements Outcome {}
}
