package org.rowlock.internal.group;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueGroup;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.text.SqlState;

/**
 * One execution of an application's UPDATE that may run in a group. The leader of the group sends all executions as one
 * batch of its own statement. In autocommit the batch is one transaction, because the driver sends a single Sync
 * message after the batch.
 */
public final class StatementMember {
    private final SharedTransactions shared;
    private final SessionIdentity session;
    private final SessionIdentity.Equal equal;
    private final Execution execution;
    private final int queryTimeout;

    private List<QueueEntry> taken = List.of();

    private volatile @Nullable StatementMember leader;

    // This object's monitor guards the next two fields, so that a cancel of the group cannot reach a later statement.
    private boolean sending;
    private boolean cancelledByMember;

    /**
     * The work of one member.
     *
     * @param table the table of the changed row, as the SQL names it
     * @param row a text that is equal for executions that change the same row
     */
    public record Execution(String sql, String table, String row, PreparedStatement statement, Values values) {}

    @FunctionalInterface
    public interface Values {
        void set(PreparedStatement statement) throws SQLException;
    }

    /**
     * The result of one execution.
     *
     * @param warnings the warnings of the whole batch, because a warning does not show which execution caused it
     */
    public record Result(long count, @Nullable SQLWarning warnings) {}

    public StatementMember(
            SharedTransactions shared, SessionIdentity session, SessionIdentity.Equal equal, Execution execution)
            throws SQLException {
        this.shared = shared;
        this.session = session;
        this.equal = equal;
        this.execution = execution;
        this.queryTimeout = execution.statement.getQueryTimeout();
    }

    /**
     * Takes waiting members into a group, if this member is admitted. Returns true if a leader has run this execution,
     * or if this member now leads a group.
     */
    public boolean entered(QueueEntry entry) throws SQLException {
        // If offer() is null, an earlier leader has given this member back after a failure, so the member runs alone.
        if (entry.isIn() && entry.offer() != null && session.isReady()) {
            taken = entry.take(shared.most(execution.row) - 1, this::takes);
        }
        return entry.served() != null || leads();
    }

    private boolean takes(Object offer) {
        return offer instanceof StatementMember other
                && shared.equals(other.shared)
                && execution.sql.equals(other.execution.sql)
                && execution.row.equals(other.execution.row)
                && queryTimeout == other.queryTimeout
                && equal.equals(other.equal);
    }

    public boolean leads() {
        return !taken.isEmpty();
    }

    public int members() {
        return 1 + taken.size();
    }

    /**
     * Returns the result of the execution in a group; null if the execution must be sent alone. If this member is a
     * leader, runs the group first.
     *
     * @throws SQLException if it is unknown whether the change is stored, or the wait has timed out
     */
    public @Nullable Result result(QueueEntry entry) throws SQLException {
        QueueGroup.Served served = entry.served();
        if (served != null) {
            if (served.failure() != null) {
                throw ownOf(served.failure());
            }
            return (Result) served.value();
        }
        if (leads()) {
            return lead(entry);
        }
        shared.done(execution.row, 1);
        return null;
    }

    private @Nullable Result lead(QueueEntry entry) throws SQLException {
        Batch batch = new Batch();
        try {
            if (shared.lead(execution.row, taken, batch::send, e -> batch.undone)) {
                entry.endServerWait(true, false);
                return batch.own;
            }
        } finally {
            restore();
        }
        if (batch.timeout != null) {
            throw batch.timeout;
        }
        // The error does not show which execution has failed, so the allowed size of groups is reduced.
        shared.undone(execution.row, members());
        return null;
    }

    /** Cancels the group that is running this execution, if any. The other members then run alone. */
    public void cancel() throws SQLException {
        StatementMember now = leader;
        if (now != null) {
            now.cancelGroup();
        }
    }

    private synchronized void cancelGroup() throws SQLException {
        if (sending) {
            cancelledByMember = true;
            execution.statement.cancel();
        }
    }

    /** Sets whether the batch is at the server. If another thread is sending a cancel, first waits for that thread. */
    private synchronized void sends(boolean now) {
        sending = now;
    }

    private final class Batch {
        private final List<StatementMember> others = taken.stream()
                .map(entry -> (StatementMember) Objects.requireNonNull(entry.offer()))
                .toList();
        private boolean undone = true;
        private @Nullable Result own;

        /** The server's error if the wait for the row has timed out; otherwise null. */
        private @Nullable SQLException timeout;

        IntFunction<Result> send() throws SQLException {
            PreparedStatement statement = execution.statement;
            execution.values.set(statement);
            statement.addBatch();
            for (StatementMember each : others) {
                each.execution.values.set(statement);
                statement.addBatch();
            }
            undone = false;
            others.forEach(each -> each.leader = StatementMember.this);
            sends(true);
            long start = System.nanoTime();
            try {
                long[] counts = statement.executeLargeBatch();
                SQLWarning warnings = warningsOf(statement);
                own = new Result(counts[0], warnings);
                return i -> new Result(counts[i + 1], warnings);
            } catch (SQLException e) {
                sends(false);
                throw failure(e.getCause() instanceof SQLException cause ? cause : e, System.nanoTime() - start);
            } finally {
                sends(false);
                others.forEach(each -> each.leader = null);
            }
        }

        /** Returns the server's error if nothing is stored; otherwise an error for an unknown outcome. */
        private SQLException failure(SQLException e, long nanos) throws SQLException {
            // If the session is still usable, the server has rolled back the whole batch.
            if (!ServerErrors.isServers(e) || !session.isUsable()) {
                return unknown(e);
            }
            // The leader's execution is the first of the batch, and locks the row for the others. Therefore only the
            // leader can have waited for the row.
            timeout = !cancelledByMember && ServerErrors.isTimeoutIn(execution.table, e) ? e : null;
            boolean ofAll = timeout != null
                    && (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                            || (queryTimeout > 0 && nanos >= TimeUnit.SECONDS.toNanos(queryTimeout)));
            undone = !ofAll;
            return e;
        }
    }

    /** Returns the warnings; null if another thread has closed the statement. The changes are stored anyway. */
    private static @Nullable SQLWarning warningsOf(PreparedStatement statement) {
        try {
            return statement.getWarnings();
        } catch (SQLException e) {
            Log.debug("The warnings of a statement that was closed are gone", e);
            return null;
        }
    }

    /** Restores the parameters that the application has set on the leader's statement. */
    private void restore() {
        try {
            execution.statement.clearBatch();
            execution.values.set(execution.statement);
        } catch (SQLException e) {
            Log.debug("The parameters of a statement that was closed are gone", e);
        }
    }

    /** Returns a new exception for a member after a failure of the leader, because callers may modify exceptions. */
    private static SQLException ownOf(Throwable failure) {
        return failure instanceof SQLException e && ServerErrors.isServers(e)
                ? ServerErrors.copy(e)
                : unknown(failure.getCause() instanceof SQLException cause ? cause : null);
    }

    private static SQLException unknown(@Nullable SQLException cause) {
        return new SQLException(
                "It is not known whether this UPDATE is stored: Rowlock sent it in one transaction with UPDATEs of"
                        + " other callers that waited for the row, and the connection was lost before the server"
                        + " answered" + (cause == null ? "" : " (" + cause.getMessage() + ")")
                        + ". The UPDATE may be stored already, or may be stored in a moment. Check whether it is stored"
                        + " before you run it again, because it could be done twice.",
                SqlState.CONNECTION_FAILURE,
                cause);
    }
}
