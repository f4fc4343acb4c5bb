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
import org.postgresql.util.GT;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.text.SqlState;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.internal.group.GroupSession.Identity;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.session.DriverAccess;

/**
 * One execution of an UPDATE that a group may do. The leader, which is the first of those who wait, sends its own and
 * those of others as a batch of its own statement: in autocommit one transaction, as the driver puts one Sync behind
 * it. They share its fate: it is done, or is known to be undone, and then each is done alone; or nobody knows, and all
 * learn that.
 */
public final class GroupMember {
    private static final Logger LOG = System.getLogger("org.rowlock");

    private static final String BATCH_ENTRY =
            "Batch entry {0} {1} was aborted: {2}  Call getNextException to see other errors in the batch.";

    private final AutocommitGroups groups;
    private final String sql;
    private final PreparedStatement statement;
    private final Binds binds;
    private final TableFigures figures;

    private @Nullable Identity identity;
    private String table = "";
    private String row = "";
    private int queryTimeout;
    private @Nullable GroupSession session;
    private @Nullable DriverAccess access;
    private List<QueueEntry> taken = List.of();
    private QueueEntry.@Nullable Served served;
    private @Nullable Done done;

    /** Not to be sent again, until it is known that it was undone. */
    private volatile boolean sent;

    private volatile @Nullable GroupMember leader;
    private volatile boolean cancelledByMember;

    /** Sets the parameters of a statement as they were set. */
    public interface Binds {
        void set(PreparedStatement statement, int others) throws SQLException;
    }

    private record Done(long count, @Nullable SQLWarning warnings) {}

    private enum Fate {
        DONE,
        UNDONE,
        UNKNOWN
    }

    /**
     * An execution.
     *
     * @param statement the driver's, with its parameters set
     * @param binds sets them again
     */
    public GroupMember(
            AutocommitGroups groups, String sql, PreparedStatement statement, Binds binds, TableFigures figures) {
        this.groups = groups;
        this.sql = sql;
        this.statement = statement;
        this.binds = binds;
        this.figures = figures;
    }

    void ready(Identity own, String ownTable, String ownRow, GroupSession ownSession, DriverAccess ownAccess)
            throws SQLException {
        queryTimeout = statement.getQueryTimeout();
        table = ownTable;
        row = ownRow;
        session = ownSession;
        access = ownAccess;
        identity = own;
    }

    /**
     * The wait is over.
     *
     * @param mayLead whether it may send those of others, as it is to be sent itself
     * @return whether there is nothing more to wait for: another has led it, or it is to lead others
     */
    public boolean entered(QueueEntry entry, boolean mayLead) throws SQLException {
        served = entry.served();
        // What was handed back is offered no more.
        GroupSession own = session;
        DriverAccess driver = access;
        if (mayLead && entry.isIn() && own != null && driver != null && entry.offer() != null && own.isReady(driver)) {
            taken = entry.take(groups.sizes.most(row) - 1, this::takes);
        }
        return served != null || !taken.isEmpty();
    }

    /** Whether it goes to the server by itself, in whatever way: it leads nobody, and may not have been sent. */
    public boolean isAlone() {
        return taken.isEmpty() && !sent;
    }

    private boolean takes(Object offer) {
        return offer instanceof GroupMember other
                && groups.equals(other.groups)
                && sql.equals(other.sql)
                && row.equals(other.row)
                && queryTimeout == other.queryTimeout
                && identity != null
                && identity.equals(other.identity);
    }

    /**
     * Whether it is done: another has done it, or it does itself and others now.
     *
     * @throws SQLException if nobody knows, or it ran out of time
     */
    public boolean isDone() throws SQLException {
        if (served != null) {
            if (served.failure() != null) {
                throw (SQLException) served.failure();
            }
            done = (Done) Objects.requireNonNull(served.value());
        } else if (sent) {
            // Handed back by the end of its leader, which did not report that it was undone.
            throw unknown(null);
        } else if (taken.isEmpty()) {
            groups.sizes.done(row, 1);
        } else {
            send();
        }
        return done != null;
    }

    /** Whether a group has done it. */
    public boolean hasCount() {
        return done != null;
    }

    /** How many rows it has changed. */
    public long count() {
        return Objects.requireNonNull(done).count;
    }

    /** Those of the transaction, which are nobody's own. */
    public @Nullable SQLWarning warnings() {
        return Objects.requireNonNull(done).warnings;
    }

    /** Forgets them. */
    public void clearWarnings() {
        done = new Done(count(), null);
    }

    /** Has the group undone that does it now, if one does; the others are then done alone. */
    public boolean cancel() throws SQLException {
        GroupMember now = leader;
        if (now != null) {
            now.cancelledByMember = true;
            now.statement.cancel();
        }
        return now != null;
    }

    private void send() throws SQLException {
        List<GroupMember> all = new ArrayList<>(List.of(this));
        taken.forEach(entry -> all.add((GroupMember) Objects.requireNonNull(entry.offer())));
        List<GroupMember> others = all.subList(1, all.size());
        Fate fate = Fate.UNDONE;
        boolean ownTimeout = false;
        boolean timeoutOfAll = false;
        long start = System.nanoTime();
        @Nullable SQLException failure = null;
        long[] counts = {};
        try {
            for (GroupMember each : all) {
                each.binds.set(statement, 0);
                statement.addBatch();
            }
            fate = Fate.UNKNOWN;
            all.forEach(each -> each.sent = true);
            others.forEach(each -> each.leader = this);
            counts = statement.executeLargeBatch();
            fate = Fate.DONE;
            done = new Done(counts[0], ownWarnings());
        } catch (SQLException e) {
            failure = e.getCause() instanceof PSQLException cause ? cause : e;
            fate = fate == Fate.UNDONE || isUndone(failure) ? Fate.UNDONE : fate;
            ownTimeout = isTimeout(failure) && isOfFirst(e) && !cancelledByMember;
            timeoutOfAll = ownTimeout && isOfAll((PSQLException) failure, System.nanoTime() - start);
        } finally {
            sent = fate == Fate.UNKNOWN;
            others.forEach(each -> each.leader = null);
            for (int i = 0; i < taken.size(); i++) {
                switch (fate) {
                    case DONE -> taken.get(i).complete(new Done(counts[i + 1], warnings()));
                    case UNKNOWN -> taken.get(i).fail(unknown(failure));
                    case UNDONE -> others.get(i).undone(taken.get(i), timeoutOfAll ? failure : null);
                }
            }
            restore();
        }
        figures.count(fate == Fate.DONE ? Figure.GROUPS : Figure.GROUPS_UNDONE);
        if (fate == Fate.DONE) {
            figures.add(Figure.GROUPED, all.size());
            groups.sizes.done(row, all.size());
        } else if (fate == Fate.UNKNOWN) {
            throw unknown(failure);
        } else if (ownTimeout) {
            throw Objects.requireNonNull(failure);
        } else {
            groups.sizes.undone(row, all.size());
        }
    }

    /** By another error than a timeout of all nobody knows whose it is. */
    private void undone(QueueEntry entry, @Nullable SQLException timeout) {
        sent = false;
        if (timeout instanceof PSQLException error) {
            entry.fail(new PSQLException(Objects.requireNonNull(error.getServerErrorMessage())));
        } else {
            entry.handBack();
        }
    }

    /**
     * Whether each has waited for the row as long as its own timeout lets it. The server says in which table the wait
     * was, if it says anything: not if it was for a parent, say, or for a value of a unique index.
     */
    private boolean isOfAll(PSQLException timeout, long nanos) {
        String where = Objects.requireNonNull(timeout.getServerErrorMessage()).getWhere();
        List<String> name = TableName.parts(table);
        boolean over = queryTimeout > 0 && nanos >= TimeUnit.SECONDS.toNanos(queryTimeout);
        return (over || SqlState.LOCK_NOT_AVAILABLE.equals(timeout.getSQLState()))
                && (where == null || where.matches(".*\\W" + Pattern.quote(name.get(name.size() - 1)) + "\\W.*"));
    }

    /** Whoever has closed the statement meanwhile: what is done is done. */
    private @Nullable SQLWarning ownWarnings() {
        try {
            return statement.getWarnings();
        } catch (SQLException e) {
            return null;
        }
    }

    /** An error of the server behind which the session goes on: then the server has rolled back what one Sync ends. */
    private boolean isUndone(SQLException e) throws SQLException {
        DriverAccess own = access;
        return e instanceof PSQLException error
                && error.getServerErrorMessage() != null
                && own != null
                && !own.driver().isClosed()
                && own.isIdle();
    }

    private static boolean isTimeout(SQLException e) {
        return e instanceof PSQLException error
                && error.getServerErrorMessage() != null
                && (SqlState.LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                        || SqlState.QUERY_CANCELED.equals(e.getSQLState()));
    }

    /** Whether the error is that of the first statement, as the driver says it in whatever language. */
    private static boolean isOfFirst(SQLException e) {
        String first = beginOfEntry(0);
        return !first.equals(beginOfEntry(1)) && String.valueOf(e.getMessage()).startsWith(first);
    }

    private static String beginOfEntry(int number) {
        String message = GT.tr(BATCH_ENTRY, number, "\0", "");
        return message.substring(0, Math.max(0, message.indexOf('\0')));
    }

    /** The caller's statement is as the caller left it. */
    private void restore() {
        try {
            statement.clearBatch();
            binds.set(statement, 0);
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
