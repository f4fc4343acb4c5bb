package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.internal.request.ResolvedRequest;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.FlushRunner;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.Flush;
import org.rowlock.internal.sql.Part;
import org.rowlock.internal.sql.Tail;
import org.rowlock.internal.sql.WriteForm.WrongCount;
import org.rowlock.internal.text.Stack;

/**
 * Sends the last writes of a transaction and its COMMIT, and determines the outcome. The writes are split into flushes
 * of one round trip each. If possible, the last flush contains the COMMIT.
 *
 * <p>The driver's commit() can return normally although nothing is stored. The server answers COMMIT of an aborted
 * transaction with ROLLBACK, and a pooler may have run a statement of another client instead. This class detects both
 * cases without a round trip, by the transaction state that the driver reports.
 *
 * <p>After any exception the caller must roll back, or prevent a later commit in another way. If the driver refused to
 * send a flush, the transaction is still open, and a later commit() would commit its earlier statements.
 */
public final class Commit {
    private final PgSession session;
    private final CommitErrors errors;
    private final Ending ending;
    private final List<Write> writes;

    /** The flushes. The last flush has the COMMIT, unless the COMMIT is sent alone. */
    private final List<Tail> flushes;

    private final boolean commits;
    private final List<Part> watch;

    /** Whether the COMMIT is sent after the writes and not with them, usually by the connection's commit(). */
    private final boolean commitsAlone;

    /**
     * Prepares the flushes, and runs no SQL in the transaction.
     *
     * @param ending the COMMIT and the statements around it, or null for no COMMIT
     * @param behindLock whether a lock is sent with the COMMIT; there may then be no writes
     * @param keepsWatch see {@link LostCommits#watch}
     */
    private Commit(
            PgSession session,
            CommitErrors errors,
            @Nullable Ending ending,
            List<Write> writes,
            boolean behindLock,
            boolean keepsWatch)
            throws SQLException {
        this.session = session;
        this.errors = errors;
        this.ending = ending == null ? Ending.plain() : ending;
        this.commits = ending != null;
        this.writes = writes;
        WriteForms.Statements statements = WriteForms.statements(session, writes);
        // Rowlock must not commit a branch of an XA transaction. The driver's commit() refuses to commit a branch, but
        // a COMMIT in a flush would commit the branch.
        this.commitsAlone = commits && (session.isOfXa() || (statements.parts().isEmpty() && !behindLock));
        this.watch = commits && !commitsAlone ? LostCommits.watch(session, keepsWatch) : List.of();
        this.flushes = split(statements);
    }

    private List<Tail> split(WriteForms.Statements statements) {
        List<Part> parts = statements.parts();
        List<Tail> split = new ArrayList<>(1);
        int from = 0;
        for (int to = statements.endOfFlush(from); to < parts.size(); to = statements.endOfFlush(from)) {
            split.add(Tail.ofWrites(parts.subList(from, to), statements.oneShot()));
            from = to;
        }
        List<Part> last = from == 0 ? parts : new ArrayList<>(parts.subList(from, parts.size()));
        if (commits && !commitsAlone) {
            last.addAll(ending.parts(session));
            split.add(new Tail(watch, last, true, statements.oneShot(), null, ending::setUnsent));
        } else if (!last.isEmpty()) {
            split.add(Tail.ofWrites(last, statements.oneShot()));
        }
        return split;
    }

    /**
     * Sends the writes and the COMMIT, in one round trip if possible.
     *
     * @param known the session of the connection; null if it must be determined
     * @param keys the locked keys, for messages; empty if they are unknown
     * @param keepsWatch see {@link LostCommits#watch}
     */
    public static void run(
            Connection connection,
            @Nullable PgSession known,
            List<LockKey> keys,
            Ending.Choice endings,
            List<Write> writes,
            boolean keepsWatch)
            throws SQLException {
        CommitErrors errors = new CommitErrors(keys);
        PgSession session = errors.usable(connection, known);
        try {
            Ending ending = writes.isEmpty() && !session.hasBegun() ? Ending.plain() : endings.of(session);
            Commit commit = new Commit(session, errors, ending, writes, false, keepsWatch);
            commit.run(commit::send);
        } catch (SQLException e) {
            throw errors.undone(e);
        }
    }

    public static Commit behindLock(PgSession session, List<LockKey> keys, Ending.Choice endings, List<Write> writes)
            throws SQLException {
        return new Commit(session, new CommitErrors(keys), endings.of(session), writes, true, false);
    }

    /** Sends writes without a commit. Refuses an aborted transaction, even if there is nothing to send. */
    public static void sendWrites(Connection connection, List<Write> writes) throws SQLException {
        CommitErrors errors = new CommitErrors(List.of());
        PgSession session = PgSession.of(connection);
        errors.refuseAborted(session);
        if (!writes.isEmpty()) {
            PgSession.inTransaction(connection);
            Commit none = new Commit(session, errors, null, writes, false, false);
            none.run(none::send);
        }
    }

    /** Returns the statements to send together with the lock, or null if one round trip does not suffice. */
    public @Nullable Tail tail() {
        return flushes.size() == 1 && !commitsAlone ? flushes.get(0) : null;
    }

    public boolean isSent() {
        return ending.isSent();
    }

    public interface Sending {
        void run() throws SQLException;
    }

    /**
     * Sends the writes and the COMMIT. If the work may be stored, the exception is a {@link
     * CommitOutcomeUnknownException}, or a LockVerificationException that reports the stored writes. Every type of
     * exception is handled, because pools and proxies throw more types of exceptions than the driver.
     *
     * @param sending sends the flushes, perhaps together with a lock
     */
    public void run(Sending sending) throws SQLException {
        Stack.reserve(Stack.OF_COMMIT);
        Runnable autosave = session.withoutAutosave();
        try {
            sending.run();
            end();
        } catch (CommitOutcomeUnknownException e) {
            throw markUnknown(e);
        } catch (SQLException | RowlockException e) {
            throw e;
        } catch (Throwable e) {
            if (!ending.isSent() || (e.getCause() instanceof SQLException sql && ServerErrors.isDriverRefusal(sql))) {
                throw e;
            }
            throw markUnknown(unknown(e));
        } finally {
            autosave.run();
        }
    }

    /**
     * Returns the exception for an unknown outcome. If the memory does not suffice for a new exception, returns an
     * exception that was created in advance.
     */
    private CommitOutcomeUnknownException unknown(Throwable e) {
        try {
            return errors.unknownOf(CommitErrors.SENT_THROUGH, e);
        } catch (StackOverflowError | OutOfMemoryError noRoom) {
            return CommitErrors.WITHOUT_ROOM;
        }
    }

    private CommitOutcomeUnknownException markUnknown(CommitOutcomeUnknownException unknown) {
        writes.forEach(write -> write.outcomeUnknown(unknown));
        return unknown;
    }

    /** Sends the flushes. The locks, if any, are already held. */
    public void send() throws SQLException {
        errors.refuseAborted(session);
        try {
            for (Tail flush : flushes) {
                FlushRunner.send(session, Flush.alone(flush), ResolvedRequest.NONE, flush);
            }
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** Sends the COMMIT if no flush had the COMMIT, and verifies that the transaction has committed. */
    private void end() throws SQLException {
        if (commitsAlone) {
            sendAlone();
        }
        if (commits && !ending.isOver()) {
            throw errors.notEnded(session);
        }
        LostCommits.committed(session, watch);
        writes.forEach(Write::done);
        if (commits && (!commitsAlone || !ending.isPlain())) {
            EarlyRelease.tell(session.connection());
        }
        SQLException unconfirmed = ending.confirm(session);
        if (unconfirmed != null) {
            throw errors.notConfirmed(unconfirmed);
        }
    }

    private void sendAlone() throws SQLException {
        try {
            ending.sendAlone(session);
        } catch (SQLException e) {
            if (!writes.isEmpty() && CommitErrors.isRefusedInBranch(session, e)) {
                // The transaction manager must end the XA branch. Aborting the branch prevents a later commit of the
                // writes.
                session.abort(e);
            }
            throw failure(e);
        }
    }

    /** Returns the exception for a failure of a flush: the driver's own exception if the COMMIT was not sent. */
    public SQLException failure(SQLException e) throws SQLException {
        WrongCount wrong = ServerErrors.wrongCountIn(e);
        if (wrong != null) {
            throw WriteForms.unexpected(writes, wrong.number(), wrong.execution(), wrong.found(), commits, e);
        }
        if (ServerErrors.isOfRule(e) && writes.stream().anyMatch(Write::isExpecting)) {
            return errors.ofRule(e);
        }
        return !ending.isSent() || ServerErrors.isDriverRefusal(e) ? e : errors.failure(session, ending, e);
    }
}
