package org.rowlock.jdbc.internal.queue;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.jdbc.internal.group.GroupMember;

/** The wait of a statement in the JVM, which another thread may end. */
final class QueueWait {
    final Statement statement;
    final QueueEntry entry;
    final @Nullable GroupMember member;
    volatile boolean cancelled;

    QueueWait(Statement statement, QueueEntry entry, @Nullable GroupMember member) {
        this.statement = statement;
        this.entry = entry;
        this.member = member;
    }

    /** Ends the wait as the server would end it. False where it is that of another statement, or is over. */
    boolean cancel(Statement which) throws SQLException {
        if (!statement.equals(which)) {
            return false;
        }
        cancelled = true;
        return entry.wake() || (member != null && member.cancel());
    }
}
