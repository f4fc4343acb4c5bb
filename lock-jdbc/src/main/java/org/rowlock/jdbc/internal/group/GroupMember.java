package org.rowlock.jdbc.internal.group;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.session.ServerErrors;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.internal.group.GroupSession.Identity;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.row.LockedRow;

/**
 * One execution of an UPDATE that a group may do. The leader, which is the first of those who wait, sends its own and
 * those of others as a batch of its own statement: in autocommit one transaction, as the driver puts one Sync behind
 * it. They share its fate: it is done, or is known to be undone, and then each is done alone; or nobody knows, and all
 * learn that.
 */
public final class GroupMember {
    /** A line that says for which lock the wait was, in every language by its mode: PostgreSQL 19 adds one. */
    private static final Pattern LOCK = Pattern.compile("(Share|Exclusive)Lock\\b");

    private static final Logger LOG = System.getLogger("org.rowlock");

    private final AutocommitGroups groups;
    private final GroupSession session;
    private final Identity identity;
    private final LockedRow row;
    private final String name;
    private final PreparedStatement statement;
    private final int queryTimeout;

    /** Those that it leads. */
    private List<QueueEntry> taken = List.of();

    private volatile @Nullable GroupMember leader;

    // Under its lock: a cancel must not reach what the leader's connection does next.
    private boolean sending;
    private boolean cancelledByMember;

    GroupMember(
            AutocommitGroups groups,
            GroupSession session,
            Identity identity,
            LockedRow row,
            PreparedStatement statement)
            throws SQLException {
        this.groups = groups;
        this.session = session;
        this.identity = identity;
        this.row = row;
        this.name = row.text();
        this.statement = statement;
        this.queryTimeout = statement.getQueryTimeout();
    }

    /**
     * The wait is over.
     *
     * @return whether there is nothing more to wait for: another has led it, or it is to lead others
     */
    public boolean entered(QueueEntry entry) throws SQLException {
        // What was handed back is offered no more.
        if (entry.isIn() && entry.offer() != null && session.isReady()) {
            taken = entry.take(groups.sizes.most(name) - 1, this::takes);
        }
        return entry.served() != null || !taken.isEmpty();
    }

    private boolean takes(Object offer) {
        return offer instanceof GroupMember other
                && groups.equals(other.groups)
                && row.plan().sql().equals(other.row.plan().sql())
                && name.equals(other.name)
                && queryTimeout == other.queryTimeout
                && identity.equals(other.identity);
    }

    /** Whether it goes to the server by itself. */
    public boolean goesAlone() {
        return taken.isEmpty();
    }

    /**
     * What a group has made of it, or makes now with it in the lead; null if it goes alone.
     *
     * @throws SQLException if nobody knows, or it ran out of time
     */
    public @Nullable GroupResult result(QueueEntry entry) throws SQLException {
        QueueEntry.Served served = entry.served();
        if (served != null) {
            if (served.failure() != null) {
                throw served.failure() instanceof SQLException failure ? failure : unknown(null);
            }
            return (GroupResult) served.value();
        }
        if (!taken.isEmpty()) {
            return send();
        }
        groups.sizes.done(name, 1);
        return null;
    }

    /** Has the group undone that does it now, if one does; the others are then done alone. */
    public void cancel() throws SQLException {
        GroupMember now = leader;
        if (now != null) {
            now.cancelGroup();
        }
    }

    private synchronized void cancelGroup() throws SQLException {
        if (sending) {
            cancelledByMember = true;
            statement.cancel();
        }
    }

    /** Returns when a cancel that is under way has reached the server. */
    private synchronized void sends(boolean now) {
        sending = now;
    }

    private @Nullable GroupResult send() throws SQLException {
        List<GroupMember> all = new ArrayList<>(List.of(this));
        taken.forEach(entry -> all.add((GroupMember) Objects.requireNonNull(entry.offer())));
        List<GroupMember> others = all.subList(1, all.size());
        boolean sent = false;
        boolean ownTimeout = false;
        boolean timeoutOfAll = false;
        long start = System.nanoTime();
        @Nullable SQLException failure = null;
        @Nullable SQLWarning warnings = null;
        long[] counts = {};
        try {
            for (GroupMember each : all) {
                each.row.binds().setAll(statement, 0);
                statement.addBatch();
            }
            sent = true;
            taken.forEach(QueueEntry::sent);
            others.forEach(each -> each.leader = this);
            sends(true);
            counts = statement.executeLargeBatch();
            warnings = statement.getWarnings();
        } catch (SQLException e) {
            failure = e.getCause() instanceof PSQLException cause ? cause : e;
            sent &= !isUndone(failure);
            sends(false);
            ownTimeout = isTimeout(failure) && !cancelledByMember && isOfRow((PSQLException) failure);
            timeoutOfAll = ownTimeout && isOfAll(failure, System.nanoTime() - start);
        } finally {
            sends(false);
            for (int i = 0; i < taken.size(); i++) {
                others.get(i).leader = null;
                if (counts.length > 0) {
                    taken.get(i).complete(new GroupResult(others.get(i).statement, counts[i + 1], warnings));
                } else if (sent) {
                    taken.get(i).fail(unknown(failure));
                } else {
                    undone(taken.get(i), timeoutOfAll ? failure : null);
                }
            }
            restore();
        }
        TableFigures figures = row.plan().figures();
        figures.count(counts.length > 0 ? Figure.GROUPS : Figure.GROUPS_UNDONE);
        if (counts.length > 0) {
            figures.add(Figure.GROUPED, all.size());
            groups.sizes.done(name, all.size());
            return new GroupResult(statement, counts[0], warnings);
        }
        if (sent) {
            throw unknown(failure);
        }
        if (ownTimeout) {
            throw Objects.requireNonNull(failure);
        }
        groups.sizes.undone(name, all.size());
        return null;
    }

    /** By another error than a timeout of all nobody knows whose it is. */
    private static void undone(QueueEntry entry, @Nullable SQLException timeout) {
        if (timeout instanceof PSQLException error) {
            entry.fail(new PSQLException(Objects.requireNonNull(error.getServerErrorMessage())));
        } else {
            entry.handBack();
        }
    }

    /** Whether each has waited for the row as long as its own timeout lets it. */
    private boolean isOfAll(SQLException timeout, long nanos) {
        return SqlState.LOCK_NOT_AVAILABLE.equals(timeout.getSQLState())
                || (queryTimeout > 0 && nanos >= TimeUnit.SECONDS.toNanos(queryTimeout));
    }

    /**
     * Whether the wait that was ended was for the row, and so that of the first: behind it nobody waits for the row.
     * The server says in which table the wait was, if it says anything; another one is that of a parent, say, or of a
     * unique index.
     */
    private boolean isOfRow(PSQLException timeout) {
        String where = Objects.requireNonNull(timeout.getServerErrorMessage()).getWhere();
        List<String> table = TableName.parts(row.plan().table());
        List<String> places = where == null
                ? List.of()
                : where.lines().filter(line -> !LOCK.matcher(line).find()).toList();
        return places.isEmpty()
                || (places.size() == 1
                        && places.get(0).matches(".*\\W" + Pattern.quote(table.get(table.size() - 1)) + "\\W.*"));
    }

    /** An error of the server behind which the session goes on: then the server has rolled back what one Sync ends. */
    private boolean isUndone(SQLException e) throws SQLException {
        return ServerErrors.isServers(e) && !session.access.driver().isClosed() && session.access.isIdle();
    }

    private static boolean isTimeout(SQLException e) {
        return ServerErrors.isServers(e)
                && (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                        || SqlState.QUERY_CANCELED.equals(e.getSQLState()));
    }

    /** The caller's statement is as the caller left it. */
    private void restore() {
        try {
            statement.clearBatch();
            row.binds().setAll(statement, 0);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "The parameters of a statement that was closed are gone", e);
        }
    }

    private static PSQLException unknown(@Nullable SQLException cause) {
        return new PSQLException(
                "It is not known whether this UPDATE is stored: it was sent in one transaction with those of others"
                        + " who waited for the row, and the connection that sent them was lost before the server had"
                        + " answered" + (cause == null ? "" : " (" + cause.getMessage() + ")")
                        + ". It may be stored, now or in a moment. Do not run it again before you have looked: done"
                        + " twice is worse than done late.",
                PSQLState.CONNECTION_FAILURE,
                cause);
    }
}
