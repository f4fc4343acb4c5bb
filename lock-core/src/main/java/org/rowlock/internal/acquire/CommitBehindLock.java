package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.Outcome;
import org.rowlock.internal.sql.Outcome.Failed;
import org.rowlock.internal.sql.Outcome.Held;
import org.rowlock.internal.sql.Outcome.NotAvailable;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.text.SqlState;

/** Locks, writes and commits, in one round trip if possible. */
public final class CommitBehindLock {
    private CommitBehindLock() {}

    /**
     * Runs the call. After any exception, the caller has to roll back.
     *
     * @throws CommitOutcomeUnknownException if it is unknown whether the transaction has committed durably
     */
    public static void run(LockCall call, List<Write> writes, Ending.Choice endings) throws SQLException {
        Commit commit = Commit.behindLock(call.session(), call.keys(), endings, writes);
        Tail tail = call.mayCommit() ? commit.tail() : null;
        commit.run(() -> {
            Outcome outcome = call.attempt(tail);
            if (!(outcome instanceof Held) || !commit.isSent()) {
                refuseFailed(outcome, commit);
                call.held(outcome);
                call.session().refuseIfOver("Nothing is stored");
                commit.send();
            }
        });
    }

    private static void refuseFailed(Outcome outcome, Commit commit) throws SQLException {
        Failed failed = outcome instanceof Failed it ? it : null;
        RowlockException meaning = failed == null ? null : failed.meaning();
        boolean own = failed != null && meaning == null;
        SQLException cause =
                failed != null ? failed.cause() : outcome instanceof NotAvailable taken ? taken.cause() : null;
        if (cause != null && (own || commit.isSent())) {
            // The SQLSTATE does not show which wait has ended: the wait for the lock, or the wait until the COMMIT is
            // durable.
            SQLException definite = commit.failure(cause);
            boolean lost = meaning instanceof LockConnectionLostException
                    && !SqlState.READ_ONLY_SQL_TRANSACTION.equals(cause.getSQLState());
            if (own || lost || ServerErrors.isDrivers(cause)) {
                throw definite;
            }
        }
    }
}
