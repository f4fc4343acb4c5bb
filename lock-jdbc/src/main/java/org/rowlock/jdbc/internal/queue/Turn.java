package org.rowlock.jdbc.internal.queue;

import java.sql.SQLException;
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

/** The turn of a statement, which may now go to the server. The caller leaves it when the server has answered. */
public final class Turn {
    private final DriverAccess access;
    private final @Nullable QueueEntry entry;
    private final @Nullable StatementPlan plan;
    private final @Nullable Front front;
    private final @Nullable StatementMember member;

    Turn(
            DriverAccess access,
            @Nullable QueueEntry entry,
            @Nullable StatementPlan plan,
            @Nullable Front front,
            @Nullable StatementMember member) {
        this.access = access;
        this.entry = entry;
        this.plan = plan;
        this.front = front;
        this.member = member;
    }

    /** Returns the lock that goes in front of the statement; null if there is none. */
    public @Nullable Front front() {
        return front;
    }

    /**
     * Returns the result of the statement if a group has run it, or runs it now with this statement as the leader.
     * Returns null if the statement goes alone.
     */
    public StatementMember.@Nullable Told grouped() throws SQLException {
        if (member == null || entry == null || plan == null) {
            return null;
        }
        StatementMember.Told told = null;
        try {
            told = member.result(entry);
        } finally {
            if (member.leads()) {
                plan.figures().count(told == null ? Figure.GROUPS_UNDONE : Figure.GROUPS);
                plan.figures().add(Figure.GROUPED, told == null ? 0 : member.members());
            }
        }
        return told;
    }

    /**
     * Gives up the lock in front if the error comes from the wait for it. It undoes what the flush has begun, so that
     * the statement can go to the server without the lock. Returns false if the error is the statement's own.
     *
     * @param tookNanos how long the flush of the lock and the statement took
     */
    public boolean givesUpFront(SQLException error, long tookNanos) throws SQLException {
        if (front == null || plan == null || !ServerErrors.mayBeOfFront(error)) {
            return false;
        }
        if (!access.isIdle()) {
            if (!FrontSql.undoes(access.driver())) {
                return false;
            }
            // Nothing else is lost, because only the first statement of a transaction has a lock in front.
            access.driver().rollback();
        } else if (SqlState.LOCK_NOT_AVAILABLE.equals(error.getSQLState())
                && !FrontSql.isWithin(access.ask("select " + FrontSql.LOCK_TIMEOUT_MILLIS), tookNanos)) {
            return false;
        }
        plan.figures().count(Figure.FRONT_GIVEN_UP);
        front.givenUp();
        return true;
    }

    void answered(boolean done, boolean holds) {
        if (entry != null) {
            entry.answered(done, holds);
        }
    }

    /** Notes that the row is no longer held. */
    void released() {
        if (entry != null) {
            entry.released(true);
        }
    }
}
