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

/** A statement that may go to the server; to be left when that has answered. */
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

    /** What goes in front of the statement; null for nothing. */
    public @Nullable Front front() {
        return front;
    }

    /** What a group has made of the statement, perhaps in its own lead; null if it is to go by itself. */
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
     * Undoes what the lock in front has begun where it could not be had, so that the statement can go to the server
     * without. False where the error is that of the statement.
     *
     * @param tookNanos how long the flush of both took
     */
    public boolean givesUpFront(SQLException error, long tookNanos) throws SQLException {
        if (front == null || plan == null || !ServerErrors.mayBeOfFront(error)) {
            return false;
        }
        if (!access.isIdle()) {
            if (!FrontSql.undoes(access.driver())) {
                return false;
            }
            // Only what begins a transaction has a lock in front, so nothing else is lost.
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

    /** The row is not held any more. */
    void released() {
        if (entry != null) {
            entry.released(true);
        }
    }
}
