package org.rowlock.jdbc.internal.queue;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.internal.group.SessionIdentity;
import org.rowlock.internal.group.SharedTransactions;
import org.rowlock.internal.group.StatementMember;
import org.rowlock.internal.observe.LockObserver;
import org.rowlock.internal.queue.Front;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueuePolicy.Question;
import org.rowlock.internal.session.DriverAccess;
import org.rowlock.internal.session.LostCommits;
import org.rowlock.internal.text.FrontSql;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.value.LockWait;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.row.LockedRow;
import org.rowlock.jdbc.internal.row.StatementPlan;

/**
 * Makes the statements of one connection wait in the JVM for the rows that they lock. This class also decides which
 * statements need a front lock: an advisory lock for the row, which Rowlock acquires before the row lock.
 */
final class RowQueue {
    /** Reports the waits to the flight recorder. */
    private static final LockObserver OBSERVER = new LockObserver(List.of());

    private final DropIn dropIn;
    private final DriverAccess access;
    private final SessionIdentity identity;
    private final int database;
    private boolean changedSettings;
    volatile @Nullable QueueWait wait;
    /** Whether a statement has a front lock, and may be sent again without the front lock. */
    volatile boolean fronts;

    RowQueue(DropIn dropIn, DriverAccess access, SessionIdentity identity) throws SQLException {
        this.dropIn = dropIn;
        this.access = access;
        this.identity = identity;
        this.database = access.session().url().hashCode();
    }

    /** Records what a statement may change in its session. Called before the statement is sent. */
    void sees(StatementPlan plan) {
        if (plan.changesSettings()) {
            changedSettings = true;
            LostCommits.forget(access.driver());
        }
        if (plan.locksSession()) {
            dropIn.sessionLocks.put(access.driver(), true);
        }
    }

    /** Drops the cached timeouts of the session if the ended transaction may have changed them. */
    void ended() {
        if (changedSettings) {
            changedSettings = false;
            dropIn.timeouts.remove(access.driver());
        }
    }

    /** Ends the wait of the thread in this queue, so that its statement goes to the server. */
    void wake() {
        QueueWait now = wait;
        if (now != null) {
            now.entry.wake();
        }
    }

    boolean cancel(Statement statement) throws SQLException {
        QueueWait now = wait;
        return now != null && now.cancel(statement);
    }

    /**
     * Waits until the row's queue admits the statement. Returns null if the statement goes to the server without being
     * admitted.
     */
    @Nullable
    Turn enter(LockedRow row, Statement statement, boolean isWhole) throws SQLException {
        DropInMode mode = dropIn.mode();
        QueueEntry entry = dropIn.queues.entry(row.hash(database), null);
        StatementMember member = null;
        Turn turn = null;
        try {
            boolean entered = entry.tryEnter();
            if (!entered && mode == DropInMode.OBSERVE) {
                row.plan().figures().count(Figure.WOULD_QUEUE);
                dropIn.hotRows.count(row.text());
                entry.pass();
                entered = true;
            } else if (!entered) {
                member = member(row, statement, isWhole);
                entry.offer(member);
                entered = queue(new QueueWait(statement, entry), row, member);
            }
            if (entered || member != null) {
                boolean runsAlone =
                        entered && mode == DropInMode.QUEUE && (member == null || !member.leads()) && mayFront();
                if (runsAlone) {
                    countOthers(entry, row, statement);
                }
                Front front = runsAlone && isWhole && Turn.isPlain(statement) ? front(entry, row) : null;
                fronts = front != null;
                turn = new Turn(access, entry, row.plan(), front, member);
            }
            return turn;
        } finally {
            if (turn == null) {
                entry.leave();
            }
        }
    }

    /** Counts the other clients that wait for the row, if the queue requires this. */
    private void countOthers(QueueEntry entry, LockedRow row, Statement statement) throws SQLException {
        Question question = entry.asks(dropIn.groups != null);
        if (question != null) {
            QueueWait asking = new QueueWait(statement, entry);
            wait = asking;
            try {
                String table = row.plan().shape().table();
                dropIn.queues.ask(entry, question, sql -> access.query(sql, table));
            } finally {
                wait = null;
            }
            if (!asking.departs()) {
                throw access.canceled();
            }
        }
    }

    private @Nullable Front front(QueueEntry entry, LockedRow row) {
        Front asked = row.isFrontable() ? entry.front(dropIn.settings.front()) : null;
        LockKey.Row key = asked == null ? null : row.lockKey();
        if (asked != null && key == null) {
            asked.unsent();
        }
        return asked == null || key == null
                ? null
                : asked.of(FrontSql.key(access.session().reported("search_path"), key.table(), key.id()));
    }

    /**
     * Whether the statement may have a front lock. The driver must be able to send the front lock and the statement in
     * one flush. While the thread waits for the front lock, its session must hold no lock for which another transaction
     * may wait. Therefore the session must hold no advisory locks, and the transaction must not have begun: even a read
     * locks its tables, and LOCK TABLE waits for these locks.
     */
    private boolean mayFront() {
        return access.session().carriesFronts() && access.isIdle() && dropIn.sessionLocks.get(access.driver()) == null;
    }

    private boolean queue(QueueWait waiting, LockedRow row, @Nullable StatementMember member) throws SQLException {
        if (access.session().isAborted()) {
            return false;
        }
        LockObserver.Begun begun = OBSERVER.begin(Kind.ADMISSION);
        long start = System.nanoTime();
        wait = waiting;
        if (access.isClosed()) {
            waiting.entry.wake();
        }
        try {
            waiting.entry.enter(
                    SessionTimeouts.longestWait(dropIn, access, waiting.statement, changedSettings), Integer.MAX_VALUE);
            boolean grouped = member != null && member.entered(waiting.entry);
            TableFigures figures = row.plan().figures();
            figures.count(Figure.QUEUED);
            figures.add(Figure.QUEUED_TIME, System.nanoTime() - start);
            dropIn.hotRows.count(row.text());
            if (begun != null) {
                LockKey.Row key = row.lockKey();
                OBSERVER.end(
                        begun,
                        key == null ? List.of() : List.of(key),
                        row.plan().shape().mode(),
                        LockStrategy.ROW,
                        LockWait.FOREVER,
                        grouped || waiting.entry.isIn() ? Outcome.ADMITTED : Outcome.REFUSED);
            }
            // If a group has run the statement, the cancel came too late. Otherwise a cancelled statement must not run.
            // If the leader of a group is cancelled, the other members run in their own transactions.
            if (!waiting.departs() && waiting.entry.served() == null) {
                throw access.canceled();
            }
            return waiting.entry.isIn();
        } finally {
            wait = null;
        }
    }

    /**
     * Returns the execution that a group may send instead of the statement; null if the statement must run in its own
     * transaction. This method runs before the wait, because the method may query the server.
     */
    private @Nullable StatementMember member(LockedRow row, Statement statement, boolean isWhole) throws SQLException {
        SharedTransactions groups = dropIn.groups;
        if (groups == null || !access.driver().getAutoCommit()) {
            return null;
        }
        StatementPlan plan = row.plan();
        String target = plan.sharedTarget();
        Figure alone = target != null && identity.isAlone() ? Figure.ALONE_SESSION : Figure.ALONE_STATEMENT;
        if (isWhole && !identity.isAlone() && target != null && statement instanceof PreparedStatement prepared) {
            try {
                SessionIdentity.Equal equal = identity.equal(groups);
                if (equal != null && !groups.look(equal, target, access::query).isEmpty()) {
                    StatementMember.Execution execution = new StatementMember.Execution(
                            plan.sql(),
                            plan.shape().table(),
                            row.text(),
                            prepared,
                            to -> row.binds().setAll(to, 0));
                    return new StatementMember(groups, identity, equal, execution);
                }
                alone = equal == null ? Figure.ALONE_SESSION : Figure.ALONE_TABLE;
            } catch (SQLException e) {
                Log.debug("Whether a group may send the statement could not be queried", e);
                alone = Figure.ALONE_SESSION;
            }
        }
        plan.figures().count(alone);
        return null;
    }
}
