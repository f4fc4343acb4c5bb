package org.rowlock.jdbc.internal.queue;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.TransactionState;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jdbc.internal.group.AutocommitGroups;
import org.rowlock.jdbc.internal.group.GroupMember;
import org.rowlock.jdbc.internal.group.GroupSession;
import org.rowlock.jdbc.internal.observe.AloneReason;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.observe.QueuedEvent;
import org.rowlock.jdbc.internal.session.DriverAccess;
import org.rowlock.jdbc.internal.session.ServerError;
import org.rowlock.jdbc.internal.session.SessionTimeouts;

/** The wait of one connection's statements for the rows that they lock, and what then goes in front of them. */
final class RowQueue {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /**
     * The part of a timeout that may be spent in the JVM. The server, which alone can end a statement as it would
     * without us, counts from when it has it; so the error comes at most that much later.
     */
    private static final int PART_OF_TIMEOUT = FrontSql.PART_OF_TIMEOUT;

    private final DropIn dropIn;
    private final DriverAccess access;
    private final GroupSession groupSession;
    private final int database;
    private boolean changedSettings;
    private volatile @Nullable QueueWait wait;

    RowQueue(DropIn dropIn, DriverAccess access, GroupSession groupSession) throws SQLException {
        this.dropIn = dropIn;
        this.access = access;
        this.groupSession = groupSession;
        this.database = String.valueOf(access.driver().getMetaData().getURL()).hashCode();
    }

    /** A statement goes to the server. */
    void sees(StatementPlan plan) {
        changedSettings |= plan.changesSettings();
        if (plan.locksSession()) {
            dropIn.sessionLocks.put(access.driver(), true);
        }
    }

    /** The transaction has ended, and what it has set for itself. */
    void ended() {
        if (changedSettings) {
            changedSettings = false;
            dropIn.timeouts.remove(access.driver());
        }
    }

    /** Sends the thread that waits here to the server. */
    void wake() {
        QueueWait now = wait;
        if (now != null) {
            now.wake();
        }
    }

    /** Ends the wait of a statement as the server would end it. False if it does not wait here. */
    boolean cancel(Statement statement) throws SQLException {
        QueueWait now = wait;
        return now != null && now.cancel(statement);
    }

    /**
     * Waits for a place.
     *
     * @return null where the statement is to go to the server without one
     */
    @Nullable
    Turn enter(StatementPlan plan, LockedRow row, Statement statement, @Nullable GroupMember member)
            throws SQLException {
        RowlockMode mode = dropIn.mode();
        QueueEntry entry = dropIn.queues.entry(row.hash(database), member);
        Turn turn = null;
        try {
            boolean entered = entry.tryEnter();
            if (!entered && mode == RowlockMode.OBSERVE) {
                plan.figures().count(Figure.WOULD_QUEUE);
                dropIn.hotRows.count(row.text());
                entry.pass();
                entered = true;
            } else if (!entered) {
                offer(member, plan, row);
                entered = queue(new QueueWait(statement, entry, member), plan, row);
            }
            if (entered) {
                boolean fronts = mode == RowlockMode.QUEUE && (member == null || member.isAlone());
                turn = new Turn(access, entry, plan, fronts && row.isFrontable() ? front(entry, row) : null);
            }
            return turn;
        } finally {
            if (turn == null) {
                entry.leave();
            }
        }
    }

    private @Nullable Front front(QueueEntry entry, LockedRow row) {
        Front asked = entry.front(dropIn.settings.front());
        if (asked == null) {
            return null;
        }
        dropIn.wantFronts();
        try {
            if (mayFront()) {
                return asked.of(row.frontKey(access.driver().getParameterStatus("search_path")));
            }
        } catch (IllegalArgumentException e) {
            LOG.log(Level.TRACE, "The key format has no such value", e);
        }
        asked.unsent();
        return null;
    }

    /**
     * Whether a lock may go in front: the driver sends it in the same flush, and a waiter for it holds nothing. So
     * nobody but those behind waits; one that has only read holds its tables, for which LOCK TABLE waits, and may hold
     * advisory locks of its own.
     */
    private boolean mayFront() {
        return access.carriesFronts() && access.isIdle() && dropIn.sessionLocks.get(access.driver()) == null;
    }

    /** Waits. False where the statement is to go to the server without a place. */
    private boolean queue(QueueWait waiting, StatementPlan plan, LockedRow row) throws SQLException {
        if (access.isIn(TransactionState.FAILED)) {
            return false;
        }
        @Nullable QueuedEvent event = QueuedEvent.begun();
        long start = System.nanoTime();
        wait = waiting;
        if (access.isClosed()) {
            waiting.wake();
        }
        try {
            waiting.await(longestWait(waiting.statement()));
        } finally {
            wait = null;
        }
        boolean grouped = waiting.isOfGroup();
        plan.figures().count(Figure.QUEUED);
        plan.figures().add(Figure.QUEUED_TIME, System.nanoTime() - start);
        String name = row.text();
        dropIn.hotRows.count(name);
        if (event != null) {
            event.end(name, grouped || waiting.isAdmitted());
        }
        if (waiting.isCancelled() && !grouped) {
            throw ServerError.canceled(access.connection());
        }
        return waiting.isAdmitted();
    }

    /** Before the wait, as it may ask the server. */
    private void offer(@Nullable GroupMember member, StatementPlan plan, LockedRow row) throws SQLException {
        AutocommitGroups groups = dropIn.groups;
        if (groups == null || !access.driver().getAutoCommit()) {
            return;
        }
        AloneReason alone = groupSession.isAlone() ? AloneReason.SESSION : AloneReason.STATEMENT;
        if (member != null) {
            try {
                alone = groups.ready(
                        member, groupSession, access, row.statement().table(), row.text());
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "Whether others may send it could not be asked", e);
                alone = AloneReason.SESSION;
            }
        }
        if (alone != null) {
            plan.figures().alone(alone);
        }
    }

    private long longestWait(Statement statement) throws SQLException {
        int own = statement.getQueryTimeout();
        SessionTimeouts session = changedSettings ? null : dropIn.timeouts.get(access.driver());
        if (session == null) {
            try {
                session = access.ask(SessionTimeouts::of);
            } catch (SQLException e) {
                // The statement itself will say what is wrong.
                return 0;
            }
            dropIn.timeouts.put(access.driver(), session);
        }
        long shortest = Math.min(session.nanos(), own == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(own));
        return shortest == Long.MAX_VALUE ? shortest : shortest / PART_OF_TIMEOUT;
    }
}
