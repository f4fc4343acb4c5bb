package org.rowlock.internal.commit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;
import org.rowlock.CommitNotConfirmedException;
import org.rowlock.CommitOutcomeUnknownException;
import org.rowlock.LockConnectionLostException;
import org.rowlock.LockException;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.LockTransactionException.Reason;
import org.rowlock.UnexpectedRowCountException;
import org.rowlock.internal.request.KeyNames;
import org.rowlock.internal.request.Write;
import org.rowlock.internal.session.LockErrors;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.session.PgSession;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.sql.WaitSql;
import org.rowlock.internal.sql.WriteSql.WrongCount;
import org.rowlock.internal.text.SqlState;

/**
 * COMMIT, with the writes that go with it, and what became of it. The driver's commit() returns normally in cases where
 * nothing is stored: the server answers COMMIT of an aborted transaction with ROLLBACK, and a pooler may have run another
 * client's statement instead. What the driver knows of the transaction, without a round trip, tells.
 *
 * <p>Whatever it throws, the caller has to roll back, unless nothing is to be stored in another way: with autosave the driver
 * returns to a savepoint of its own, and a later commit() would commit what came before.
 */
public final class Commit {
    private final Connection connection;
    private final List<LockKey> keys;
    private final KeyNames names;
    private final Ending.Choice endings;

    /**
     * The end of a transaction.
     *
     * @param keys what the work was done under, for messages; empty where that is not known
     * @param names how these name keys
     * @param endings how it is to end
     */
    public Commit(Connection connection, List<LockKey> keys, KeyNames names, Ending.Choice endings) {
        this.connection = connection;
        this.keys = keys;
        this.names = names;
        this.endings = endings;
    }

    /**
     * Commits.
     *
     * @param writes to be done before, in the same flush where that can be
     * @throws CommitOutcomeUnknownException if it cannot be told whether the transaction has committed for good
     * @throws LockException if it has not, for a reason that is known
     * @throws SQLException if it has not, for a reason of the work's own, such as a deferred constraint
     * @throws IllegalArgumentException if a write cannot go with a COMMIT
     */
    public void run(List<Write<?>> writes) throws SQLException {
        if (connection.isClosed()) {
            throw new LockConnectionLostException(
                    "Nothing of " + work() + " is stored: its connection was lost or closed before the"
                            + " commit was sent. The transaction and its locks are gone.",
                    new SQLException("The connection is closed", SqlState.CONNECTION_DOES_NOT_EXIST));
        }
        PgSession session = PgSession.of(connection);
        if (session.isAborted()) {
            throw aborted(session);
        }
        boolean nothing = writes.isEmpty() && !session.hasBegun();
        Ending ending = nothing ? Ending.plain() : endings.of(session);
        if (writes.isEmpty() && ending.isPlain()) {
            commit(session);
            return;
        }
        WriteFlushes flushes = WriteFlushes.of(session, writes, names, ending);
        try (flushes) {
            AutoSave autosave = session.withoutAutosave();
            try {
                flushes.sendFirst();
                flushes.sendLast();
            } catch (SQLException e) {
                throw failure(flushes, e);
            } finally {
                session.setAutosave(autosave);
            }
            end(session, flushes);
        } catch (CommitOutcomeUnknownException e) {
            flushes.untold(e);
            throw e;
        }
    }

    /**
     * Sends writes, in one flush where that can be, and does not commit.
     *
     * @throws LockException if not as many rows are changed as expected
     * @throws SQLException if a write fails
     */
    public void send(PgSession session, List<Write<?>> writes) throws SQLException {
        try (WriteFlushes flushes = WriteFlushes.of(session, writes, names, null)) {
            AutoSave autosave = session.withoutAutosave();
            try {
                flushes.sendFirst();
            } catch (UnexpectedRowCountException e) {
                // As where the server counts: whoever commits later must not store it.
                session.abortTransaction(WaitSql.ABORT, e);
                throw e;
            } catch (SQLException e) {
                throw failure(flushes, e);
            } finally {
                session.setAutosave(autosave);
            }
            flushes.done();
            if (flushes.map()) {
                session.refuseIfOver("It is not known whether " + work() + " is stored");
            }
        }
    }

    private void commit(PgSession session) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failure(session, Ending.plain(), e);
        }
        if (session.hasBegun()) {
            throw notEnded(session);
        }
        confirm(session, Ending.plain(), session.takeReplicationWarning());
    }

    /**
     * After a flush that has committed. The mappers come last: by then all is decided that they could change.
     *
     * @throws LockException if it has not
     */
    public void end(PgSession session, WriteFlushes flushes) throws SQLException {
        if (!flushes.hasEnded()) {
            throw notEnded(session);
        }
        flushes.done();
        try {
            EarlyRelease.tell(connection);
            confirm(session, flushes.ending(), flushes.replicationWarning());
        } finally {
            if (flushes.map()) {
                EarlyRelease.leaveNothingBegun(session);
            }
        }
    }

    private void confirm(PgSession session, Ending ending, @Nullable SQLWarning warning) {
        try {
            ending.confirm(session, warning);
        } catch (UnconfirmedCommit e) {
            throw notConfirmed(e);
        }
    }

    private CommitNotConfirmedException notConfirmed(UnconfirmedCommit e) {
        SQLException ended = e.ended();
        return new CommitNotConfirmedException(
                "Committed on this server and visible is " + work() + ", but the wait until it is durable, here and at"
                        + " its standby, was ended (" + message(ended)
                        + "): a crash or a failover can still lose it. Do not run it again; look whether the standby has it.",
                ended);
    }

    private String work() {
        return keys.isEmpty()
                ? "the work of the transaction"
                : "the work under the lock of " + names.of(keys.get(0))
                        + (keys.size() > 1 ? " and " + (keys.size() - 1) + " more" : "");
    }

    private String message(SQLException e) {
        return LockErrors.message(names, e, String.valueOf(e.getMessage()));
    }

    private LockTransactionException aborted(PgSession session) {
        SQLException first = firstError(session);
        return new LockTransactionException(
                Reason.ABORTED,
                "Nothing of " + work() + " is stored: a statement in it failed"
                        + (first == null ? "" : " (" + message(first) + ")")
                        + " and the work went on, but PostgreSQL had aborted the transaction and would have answered"
                        + " COMMIT with a rollback. It is rolled back. Let the work throw what its statements throw, or"
                        + " put a savepoint around the statement that may fail.",
                SqlState.IN_FAILED_SQL_TRANSACTION,
                first);
    }

    /** The driver keeps the first error of a transaction, and gives it as the cause of any that follows. */
    private static @Nullable SQLException firstError(PgSession session) {
        try {
            session.execute("select 1");
            return null;
        } catch (SQLException e) {
            return e.getCause() instanceof SQLException first ? first : null;
        }
    }

    /**
     * What a failure of a flush with the COMMIT means.
     *
     * @return the driver's own, where nothing is stored
     */
    public SQLException failure(WriteFlushes flushes, SQLException e) throws SQLException {
        WrongCount wrong = ServerErrors.wrongCountIn(e);
        if (wrong != null) {
            throw flushes.unexpected(wrong.number(), wrong.found(), e);
        }
        if (ServerErrors.isOfRule(e) && flushes.isExpecting()) {
            return new SQLException(
                    "Nothing of " + work()
                            + " is stored: a write with expectRows changes a table that has a rule (CREATE"
                            + " RULE), and there the server cannot count (" + message(e)
                            + "). Run that write in the work and look at its count, leave out expectRows, or make a"
                            + " trigger of the rule.",
                    e.getSQLState(),
                    e);
        }
        if (!flushes.isSent() || ServerErrors.isDriverRefusal(e)) {
            return e;
        }
        return failure(flushes.session(), flushes.ending(), judged(flushes, e));
    }

    /**
     * After an error of a flush with the COMMIT that does not look like one.
     *
     * @throws CommitOutcomeUnknownException if it came behind the COMMIT, or may have
     */
    public void refuteIfCommitted(WriteFlushes flushes, SQLException e) throws SQLException {
        if (ServerErrors.isDrivers(e)) {
            throw failure(flushes, e);
        }
        SQLException judged = judged(flushes, e);
        if (!judged.equals(e)) {
            throw failure(flushes.session(), flushes.ending(), judged);
        }
    }

    private SQLException judged(WriteFlushes flushes, SQLException e) throws SQLException {
        SQLException judged = connection.isClosed()
                ? flushes.ending().judgedClosed(e)
                : flushes.ending().judged(PgSession.of(connection), e);
        if (judged instanceof UnconfirmedCommit unconfirmed) {
            throw notConfirmed(unconfirmed);
        }
        return judged;
    }

    private SQLException failure(PgSession session, Ending ending, SQLException e) throws SQLException {
        if (ServerErrors.isPreparedStatementMixedUp(e)) {
            throw new LockException(
                    "Nothing of " + work() + " is stored: COMMIT failed, as " + LockErrors.mixedUpStatements(e), e);
        }
        if (isEndedBefore(ending, e)) {
            throw new LockConnectionLostException(
                    "Nothing of " + work() + " is stored: the server had ended the session before the"
                            + " commit, as it was idle for too long (" + message(e) + ").",
                    e);
        }
        if (isDefinite(session, e)) {
            return e;
        }
        boolean mayRunOn = ServerErrors.mayRunOn(e);
        if (mayRunOn) {
            LostCommits.end(session);
        }
        throw new CommitOutcomeUnknownException(
                "It is not known whether " + work() + " is stored: "
                        + (ServerErrors.isDrivers(e) && !SqlState.isConnectionLost(e.getSQLState())
                                ? "the driver did not read the answer to its COMMIT ("
                                : "the connection was lost while it committed (")
                        + message(e)
                        + "). Do not run it again before you have looked: done twice is worse than done late."
                        + (mayRunOn
                                ? " Look in a transaction that has locked the same: what is not there may still be"
                                        + " stored as long as the server process of this session, "
                                        + session.serverProcess()
                                        + " where no pooler is between, is in pg_stat_activity. Rowlock has tried to"
                                        + " end it."
                                : " The server has ended the session, so that what you see is final."),
                e);
    }

    /** Whether a timeout of the server has ended the session before the flush: these run only while it is idle. */
    private static boolean isEndedBefore(Ending ending, SQLException e) {
        return SqlState.IDLE_IN_TRANSACTION_TIMEOUT.equals(e.getSQLState())
                // In simple mode it may be idle behind the COMMIT too.
                || (SqlState.IDLE_SESSION_TIMEOUT.equals(e.getSQLState()) && !ending.isAlone());
    }

    /**
     * Whether it says for sure that nothing is stored. That a connection is closed says nothing: pools close some that are whole,
     * by the SQLSTATE of an error. What the driver has made itself may hide any answer, but for that of a silent rollback.
     * If the session goes on after an error of the server, the server has rolled back, be the error of a connection to
     * another server.
     */
    private boolean isDefinite(PgSession session, SQLException e) throws SQLException {
        boolean answered = ServerErrors.isServers(e) && session.isAlive();
        for (SQLException each = e; each != null; each = each.getNextException()) {
            if ((SqlState.isConnectionLost(each.getSQLState()) && !answered)
                    || SqlState.TRANSACTION_RESOLUTION_UNKNOWN.equals(each.getSQLState())
                    || SqlState.STATEMENT_COMPLETION_UNKNOWN.equals(each.getSQLState())) {
                return false;
            }
        }
        if (ServerErrors.isServers(e) || SqlState.IN_FAILED_SQL_TRANSACTION.equals(e.getSQLState())) {
            return true;
        }
        return !ServerErrors.isDrivers(e) && !connection.isClosed();
    }

    /** What was run in place of COMMIT cannot be told, so the session is ended rather than rolled back. */
    private LockException notEnded(PgSession session) {
        LockException failure = new LockException(
                "Nothing of " + work() + " is stored: the server was told to commit, and the transaction"
                        + " is still open. A pooler gives prepared statements of one client to another: "
                        + LockErrors.POOLER_ADVICE,
                null,
                null);
        try {
            session.kill();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }
}
