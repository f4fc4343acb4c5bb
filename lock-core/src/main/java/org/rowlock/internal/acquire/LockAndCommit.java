package org.rowlock.internal.acquire;

import java.sql.SQLException;
import java.util.List;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.RowlockException;
import org.rowlock.internal.commit.Commit;
import org.rowlock.internal.commit.Ending;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.Outcome;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.Tail;

/** Lock, writes and COMMIT in one flush, so that the lock is held for no round trip at all. */
public record LockAndCommit(LockCalls calls, Ending.Choice endings, boolean observed) {
    /**
     * Locks, writes and commits. Whatever it throws, the caller has to roll back.
     *
     * @throws CommitOutcomeUnknownException if it is not known whether the transaction has committed for good
     * @throws RowlockException if it has not: the locks cannot be had, or for another reason that is known
     * @throws SQLException if a write or the commit fails
     */
    public void run(PgSession session, ResolvedRequest request, List<Write> writes) throws SQLException {
        Commit commit = Commit.behindLock(session, request.keys(), request.names(), endings, writes);
        Tail tail = commit.tail();
        if (request.request().isRowRequired()
                || !request.inserts().isEmpty()
                || tail == null
                || isLookedAt(calls.tables().withIdColumns(session, request))) {
            calls.acquire(session, request, null, observed);
            session.refuseIfOver("Nothing is stored");
            commit.run();
            return;
        }
        commit.run(() -> lockAndCommit(session, request, tail, commit));
    }

    private void lockAndCommit(PgSession session, ResolvedRequest request, Tail tail, Commit commit)
            throws SQLException {
        Outcome outcome = calls.attempt(session, request, tail, observed);
        if (outcome instanceof Outcome.Held) {
            return;
        }
        RowlockException meaning = outcome instanceof Outcome.Failed failed ? failed.meaning() : null;
        SQLException cause = outcome instanceof Outcome.Failed failed
                ? failed.cause()
                : outcome instanceof Outcome.Taken taken ? taken.cause() : null;
        boolean own = outcome instanceof Outcome.Failed && meaning == null;
        if (cause != null && (own || commit.isSent())) {
            // What ended the wait until it is durable looks as if it had ended the wait for the lock.
            SQLException definite = commit.failure(cause);
            if (own || meaning instanceof LockConnectionLostException || ServerErrors.isDrivers(cause)) {
                throw definite;
            }
        }
        throw LockErrors.of(request.asked(session.isHotStandby()), outcome);
    }

    /** Whether Rowlock has to see what the lock found before anything may be committed: another spelling of the id. */
    private static boolean isLookedAt(ResolvedRequest request) {
        return !request.rows().stream().allMatch(group -> group.table().areIdsTheirTexts());
    }
}
