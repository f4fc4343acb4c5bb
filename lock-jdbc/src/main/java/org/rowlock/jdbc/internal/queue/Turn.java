package org.rowlock.jdbc.internal.queue;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.SqlState;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.statement.Binds;

/**
 * A turn: the permission to send one statement to the server. The caller gives the turn back after the server has
 * answered.
 *
 * @param front the front lock to send before the statement; null if the statement has no front lock
 * @param member the execution that a group may send instead; null if the statement runs in its own transaction
 */
public record Turn(
        DriverAccess access,
        QueueEntry entry,
        StatementPlan plan,
        @Nullable Front front,
        @Nullable StatementMember member) {
    /** Whether every setting that affects the statement's results is as in a new statement. */
    public static boolean isPlain(Statement statement) throws SQLException {
        return !statement.isClosed()
                && statement.getFetchSize() == 0
                && statement.getMaxRows() == 0
                && statement.getMaxFieldSize() == 0
                && !statement.isCloseOnCompletion()
                && statement.getResultSetType() == ResultSet.TYPE_FORWARD_ONLY
                && statement.getResultSetConcurrency() == ResultSet.CONCUR_READ_ONLY;
    }

    /** Binds the parameters of a statement that contains the front lock and this turn's statement. */
    public void bind(Front lock, PreparedStatement both, Binds binds, int queryTimeout) throws SQLException {
        int at = binds.set(both, 1, plan.shape().equalities());
        // The server shortens the wait for the front lock if the session's own timeouts are shorter.
        long own = TimeUnit.SECONDS.toMillis(queryTimeout) / FrontSql.PART_OF_TIMEOUT;
        int millis = own == 0 ? lock.millis() : (int) Math.min(lock.millis(), own);
        int first = FrontSql.bind(both, at, lock.key(), millis, FrontSql.PART_OF_TIMEOUT);
        binds.setAll(both, first - 1);
        both.setQueryTimeout(queryTimeout);
    }

    /**
     * Returns the result of the statement if a group has run it. If this statement leads a group, runs the group now.
     * Returns null if the caller must send the statement itself.
     */
    public StatementMember.@Nullable Result grouped() throws SQLException {
        if (member == null) {
            return null;
        }
        StatementMember.Result result = null;
        try {
            result = member.result(entry);
        } finally {
            if (member.leads()) {
                plan.figures().count(result == null ? Figure.GROUPS_UNDONE : Figure.GROUPS);
                plan.figures().add(Figure.GROUPED, result == null ? 0 : member.members());
            }
        }
        return result;
    }

    /**
     * Whether the front lock has caused or changed the error, or may have done so. If so, the flush has been rolled
     * back, and the caller can send the statement without the front lock.
     *
     * @param tookNanos how long the flush with the front lock and the statement took
     */
    public boolean givesUpFront(SQLException error, long tookNanos) throws SQLException {
        boolean isOfText = ServerErrors.isOfText(error);
        if (front == null || access.isClosed() || !(isOfText || ServerErrors.mayBeOfFront(error))) {
            return false;
        }
        if (!access.isIdle()) {
            if (!access.query(driver -> {
                boolean undoes = isOfText || FrontSql.undoes(driver);
                if (undoes) {
                    // The front lock is only with the first statement of a transaction, so nothing else is undone.
                    driver.rollback();
                }
                return undoes;
            })) {
                return false;
            }
        } else if (SqlState.LOCK_NOT_AVAILABLE.equals(error.getSQLState())
                && !FrontSql.isWithin(access.query("select " + FrontSql.LOCK_TIMEOUT_MILLIS), tookNanos)) {
            return false;
        }
        plan.figures().count(Figure.FRONT_GIVEN_UP);
        front.givenUp();
        return true;
    }
}
