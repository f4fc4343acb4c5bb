package org.rowlock.jdbc.internal.queue;

import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.internal.queue.QueueEntry;

/** The wait of a statement in the JVM. Until the statement goes to the server, another thread may end the wait. */
final class QueueWait {
    final Statement statement;
    final QueueEntry entry;
    private boolean cancelled;
    private boolean departed;

    QueueWait(Statement statement, QueueEntry entry) {
        this.statement = statement;
        this.entry = entry;
    }

    /**
     * Cancels the wait of a statement. The waiting thread then throws the error that the server raises for a cancelled
     * statement, unless a group has run the statement. Returns false if the waiting statement is a different one, or if
     * the wait is over.
     */
    boolean cancel(Statement which) throws SQLException {
        synchronized (this) {
            if (departed || !statement.equals(which)) {
                return false;
            }
            cancelled = true;
        }
        if (!entry.wake() && entry.offer() instanceof StatementMember member) {
            member.cancel();
        }
        return true;
    }

    /**
     * Ends the wait. A later call of {@code cancel()} then goes to the driver. Returns false if the wait was already
     * cancelled.
     */
    synchronized boolean departs() {
        departed = true;
        return !cancelled;
    }
}
