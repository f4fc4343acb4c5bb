package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockKey;
import org.rowlock.RowlockException;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.text.Exceptions;
import org.rowlock.internal.text.SqlState;

/**
 * COMMIT, with the writes that go with it, and what became of it. The driver's commit() returns normally in cases where
 * nothing is stored: the server answers COMMIT of an aborted transaction with ROLLBACK, and a pooler may have run
 * another client's statement instead. The driver knows it of the transaction, without a round trip.
 *
 * <p>Whatever it throws, the caller has to roll back, unless nothing is to be stored in another way: with autosave the
 * driver returns to a savepoint of its own, and a later commit() would commit what came before.
 *
 * @param keys what the work was done under, for messages; empty where that is not known
 * @param names how these name keys
 * @param endings how it is to end
 */
public record Commit(Connection connection, List<LockKey> keys, KeyNames names, Ending.Choice endings) {
    /**
     * Commits.
     *
     * @param writes to be done before, in the same flush where that can be
     * @throws CommitOutcomeUnknownException if it is not known whether the transaction has committed for good
     * @throws RowlockException if it has not, for a reason that is known
     * @throws SQLException if it has not, for a reason of the work's own, such as a deferred constraint
     * @throws IllegalArgumentException if a write cannot go with a COMMIT
     */
    public void run(List<Write> writes) throws SQLException {
        if (connection.isClosed()) {
            throw Exceptions.of(
                    LockConnectionLostException.class,
                    "Nothing of " + errors().work() + " is stored: its connection was lost or closed before the"
                            + " commit was sent. The transaction and its locks are gone.",
                    new SQLException("The connection is closed", SqlState.CONNECTION_DOES_NOT_EXIST));
        }
        PgSession session = errors().notAborted();
        boolean nothing = writes.isEmpty() && !session.hasBegun();
        Ending ending = nothing ? Ending.PLAIN : endings.of(session);
        if (writes.isEmpty()) {
            try {
                SQLWarning warning = sendAlone(session, ending, false);
                if (!ending.isPlain()) {
                    EarlyRelease.tell(connection);
                }
                confirm(session, ending, warning);
                return;
            } catch (RowlockException e) {
                throw e;
            } catch (RuntimeException | Error e) {
                throw errors().unknown(e);
            }
        }
        WriteFlushes flushes = new WriteFlushes(session, writes, names, ending);
        run(flushes, () -> send(session, flushes));
    }

    private void send(PgSession session, WriteFlushes flushes) throws SQLException {
        AutoSave autosave = session.withoutAutosave();
        try {
            flushes.send();
        } catch (UnexpectedRowCountException e) {
            // As where the server counts: a later commit of the caller must not store it.
            session.abortTransaction(WaitSql.ABORT, e);
            throw e;
        } catch (SQLException e) {
            throw errors().failure(flushes, e);
        } finally {
            session.setAutosave(autosave);
        }
    }

    @FunctionalInterface
    public interface Sending {
        void run() throws SQLException;
    }

    /**
     * Has writes sent with the COMMIT. What may be stored is not to be sent again, and whatever is thrown must not look
     * as if it were not: pools and proxies throw more than the driver does.
     *
     * @param sending sends them, in one flush where that can be
     * @throws CommitOutcomeUnknownException if it is not known whether the transaction has committed for good
     */
    public void run(WriteFlushes flushes, Sending sending) throws SQLException {
        try {
            sending.run();
            end(flushes.session, flushes);
        } catch (CommitOutcomeUnknownException e) {
            flushes.untold(e);
            throw e;
        } catch (SQLException | RowlockException e) {
            throw e;
        } catch (Throwable e) {
            if (!flushes.isSent() || (e.getCause() instanceof SQLException sql && ServerErrors.isDriverRefusal(sql))) {
                throw e;
            }
            CommitOutcomeUnknownException unknown = errors().unknown(e);
            flushes.untold(unknown);
            throw unknown;
        }
    }

    /**
     * Sends writes, in one flush where that can be, and does not commit. Refuses an aborted transaction, also where
     * there is nothing to send.
     *
     * @throws RowlockException if not as many rows are changed as expected
     * @throws SQLException if a write fails
     */
    public void send(List<Write> writes) throws SQLException {
        PgSession session = errors().notAborted();
        if (writes.isEmpty()) {
            return;
        }
        PgSession.inTransaction(connection);
        WriteFlushes flushes = new WriteFlushes(session, writes, names, null);
        send(session, flushes);
        flushes.done();
    }

    /**
     * Sends the COMMIT in a flush of its own, maybe behind that of the writes.
     *
     * @return the warning that the standby was not waited for, or null
     */
    private @Nullable SQLWarning sendAlone(PgSession session, Ending ending, boolean behind) throws SQLException {
        AutoSave autosave = session.withoutAutosave();
        SQLWarning warning;
        try {
            warning = ending.send(session);
        } catch (SQLException e) {
            if (behind && CommitErrors.isRefusedInBranch(session, e)) {
                // Else the branch, which is not ours to end, would be committed with the writes.
                session.abortTransaction(WaitSql.ABORT, e);
            }
            throw errors().failure(session, ending, e);
        } finally {
            session.setAutosave(autosave);
        }
        if (session.hasBegun()) {
            throw errors().notEnded(session);
        }
        return warning;
    }

    /**
     * After a flush with all writes, and with the COMMIT where that could be.
     *
     * @throws RowlockException if it has not committed
     */
    private void end(PgSession session, WriteFlushes flushes) throws SQLException {
        flushes.last().sent = true;
        SQLWarning warning = flushes.commitsAlone ? sendAlone(session, flushes.ending, true) : flushes.last().warning;
        if (!flushes.commitsAlone && !flushes.last().ended) {
            throw errors().notEnded(session);
        }
        flushes.done();
        EarlyRelease.tell(connection);
        confirm(session, flushes.ending, warning);
    }

    private void confirm(PgSession session, Ending ending, @Nullable SQLWarning warning) throws SQLException {
        SQLException unconfirmed = ending.confirm(session, warning);
        if (unconfirmed != null) {
            throw errors().notConfirmed(unconfirmed);
        }
    }

    public CommitErrors errors() {
        return new CommitErrors(connection, keys, names);
    }
}
