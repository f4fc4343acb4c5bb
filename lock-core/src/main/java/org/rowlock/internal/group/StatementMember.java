package org.rowlock.internal.group;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;

/**
 * One execution of an application's UPDATE that a group may do. The leader, which is the first of those who wait, sends
 * its own and those of others as a batch of its own statement: in autocommit one transaction, as the driver puts one
 * Sync behind it.
 */
public final class StatementMember {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private final SharedTransactions shared;
    private final SessionIdentity session;
    private final SessionIdentity.Equal equal;
    private final Execution execution;
    private final int queryTimeout;

    /** Those that it leads. */
    private List<QueueEntry> taken = List.of();

    private volatile @Nullable StatementMember leader;

    // Under its lock: a cancel must not reach what the leader's connection does next.
    private boolean sending;
    private boolean cancelledByMember;

    /**
     * What is to be done.
     *
     * @param table whose row it changes, as its SQL names it
     * @param row the same text of the same row
     */
    public record Execution(String sql, String table, String row, PreparedStatement statement, Values values) {}

    /** Sets the parameters of one execution. */
    @FunctionalInterface
    public interface Values {
        void set(PreparedStatement statement) throws SQLException;
    }

    /**
     * What a member is told of its execution.
     *
     * @param warnings of the transaction, which are no member's own
     */
    public record Told(long count, @Nullable SQLWarning warnings) {}

    /** @param equal what all that go with it have in common, of a session that {@link SharedTransactions} has seen */
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
     * The wait is over.
     *
     * @return whether there is nothing more to wait for: another has led it, or it is to lead others
     */
    public boolean entered(QueueEntry entry) throws SQLException {
        // What was handed back is offered no more.
        if (entry.isIn() && entry.offer() != null && session.isReady()) {
            taken = entry.take(shared.sizes.most(execution.row) - 1, this::takes);
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

    /** Whether it sends others with its own. */
    public boolean leads() {
        return !taken.isEmpty();
    }

    public int members() {
        return 1 + taken.size();
    }

    /**
     * What a group has made of it, or makes now with it in the lead; null if it is to go to the server by itself.
     *
     * @throws SQLException if it is not known whether it is stored, or its time was over
     */
    public @Nullable Told result(QueueEntry entry) throws SQLException {
        QueueEntry.Served served = entry.served();
        if (served != null) {
            if (served.failure() != null) {
                throw ownOf(served.failure());
            }
            return (Told) served.value();
        }
        if (leads()) {
            return lead();
        }
        shared.sizes.done(execution.row, 1);
        return null;
    }

    private @Nullable Told lead() throws SQLException {
        Batch batch = new Batch();
        try {
            if (shared.lead(execution.row, taken, batch)) {
                return batch.own;
            }
        } finally {
            restore();
        }
        if (batch.timeout != null) {
            throw batch.timeout;
        }
        // By another error it is not known which member has failed.
        shared.sizes.undone(execution.row, members());
        return null;
    }

    /** Has the group undone that does it now, if one does; the others are then done alone. */
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

    /** Returns when a cancel that is under way has reached the server. */
    private synchronized void sends(boolean now) {
        sending = now;
    }

    /** The executions of a leader and of those it has taken, as one batch. */
    private final class Batch implements SharedTransactions.Sending<SQLException> {
        private final List<StatementMember> others = new ArrayList<>();
        private boolean undone = true;
        private @Nullable Told own;

        /** The leader's own, whose wait for the row has lasted too long. */
        private @Nullable SQLException timeout;

        Batch() {
            taken.forEach(entry -> others.add((StatementMember) Objects.requireNonNull(entry.offer())));
        }

        @Override
        public List<Told> send() throws SQLException {
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
                own = new Told(counts[0], warnings);
                return Stream.iterate(1, i -> i <= others.size(), i -> i + 1)
                        .map(i -> new Told(counts[i], warnings))
                        .toList();
            } catch (SQLException e) {
                sends(false);
                throw failure(e.getCause() instanceof SQLException cause ? cause : e, System.nanoTime() - start);
            } finally {
                sends(false);
                others.forEach(each -> each.leader = null);
            }
        }

        /** A timeout of all is told as such, and else only that it is not known what is stored. */
        private SQLException failure(SQLException e, long nanos) throws SQLException {
            // The server has rolled back what one Sync ends.
            if (!ServerErrors.isServers(e) || !session.isUsable()) {
                return unknown(e);
            }
            // Behind the first nobody waits for the row.
            timeout = !cancelledByMember && ServerErrors.isTimeoutIn(execution.table, e) ? e : null;
            boolean ofAll = timeout != null
                    && (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                            || (queryTimeout > 0 && nanos >= TimeUnit.SECONDS.toNanos(queryTimeout)));
            undone = !ofAll;
            return e;
        }

        @Override
        public boolean isUndone(Throwable failure) {
            return undone;
        }
    }

    /** Those of a statement that another thread has closed meanwhile are lost; what is stored is stored. */
    private static @Nullable SQLWarning warningsOf(PreparedStatement statement) {
        try {
            return statement.getWarnings();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "The warnings of a statement that was closed are gone", e);
            return null;
        }
    }

    /** The caller's statement is as the caller left it. */
    private void restore() {
        try {
            execution.statement.clearBatch();
            execution.values.set(execution.statement);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "The parameters of a statement that was closed are gone", e);
        }
    }

    /** A member's own exception for what its leader has thrown, as callers add to them. */
    private static SQLException ownOf(Throwable failure) {
        return failure instanceof SQLException e && ServerErrors.isServers(e)
                ? ServerErrors.copy(e)
                : unknown(failure.getCause() instanceof SQLException cause ? cause : null);
    }

    private static SQLException unknown(@Nullable SQLException cause) {
        return new SQLException(
                "It is not known whether this UPDATE is stored: it was sent in one transaction with those of others"
                        + " who waited for the row, and the connection that sent them was lost before the server had"
                        + " answered" + (cause == null ? "" : " (" + cause.getMessage() + ")")
                        + ". It may be stored, now or in a moment. Do not run it again before you have looked: done"
                        + " twice is worse than done late.",
                SqlState.CONNECTION_FAILURE,
                cause);
    }
}
