package org.rowlock.jdbc.internal.queue;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.jdbc.internal.group.GroupMember;

/** The wait of a statement in the JVM, which another thread may end. */
final class QueueWait {
    private final Statement statement;
    private final QueueEntry entry;
    private final @Nullable GroupMember member;
    private volatile boolean cancelled;

    QueueWait(Statement statement, QueueEntry entry, @Nullable GroupMember member) {
        this.statement = statement;
        this.entry = entry;
        this.member = member;
    }

    Statement statement() {
        return statement;
    }

    void await(long mostNanos) {
        entry.enter(mostNanos, Integer.MAX_VALUE);
    }

    /** Whether a group has done it, or it leads one now; once, behind the wait. */
    boolean isOfGroup() throws SQLException {
        return member != null && member.entered(entry, !cancelled);
    }

    boolean isAdmitted() {
        return entry.isIn();
    }

    /** Sends the thread that waits to the server. */
    void wake() {
        entry.wake();
    }

    /** Ends the wait as the server would end it. False where it is that of another statement, or is over. */
    boolean cancel(Statement which) throws SQLException {
        if (!statement.equals(which)) {
            return false;
        }
        cancelled = true;
        return entry.wake() || (member != null && member.cancel());
    }

    boolean isCancelled() {
        return cancelled;
    }
}
