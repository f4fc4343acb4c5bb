package org.rowlock.internal.group;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.text.GroupRule;

/**
 * The state that all groups of an application share: the allowed sizes of groups, and the descriptions of tables. This
 * class also distributes the results of a group to its members. Thread-safe.
 */
public final class SharedTransactions {
    private static final int MOST_TABLES = 1_000;
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);

    final GroupSizes sizes;

    /** The descriptions of tables. Sessions that see the same tables have equal values in the key. */
    private final ConcurrentMap<List<Object>, Version> tables = new ConcurrentHashMap<>();

    private volatile SessionIdentity.@Nullable Equal last;

    public SharedTransactions(int largest) {
        this.sizes = new GroupSizes(largest);
    }

    /** The server's description of a table. The text is empty if changes of the table must not run in groups. */
    private record Version(String text, long nanos) {}

    /** Returns the first column of the first row of a query, or an empty text if there is no row. */
    @FunctionalInterface
    public interface TextQuery {
        String first(String sql, String parameter) throws SQLException;
    }

    public interface Sending<X extends Exception> {
        /** Runs the work of all members. Returns the results of the taken members, in their order. */
        List<? extends @Nullable Object> send() throws X;

        /** Whether nothing is stored after a failure, and each member is to run alone. */
        boolean isUndone(Throwable failure);
    }

    /**
     * Whether changes of a table may share a transaction. The server's answer is reused for a few seconds.
     *
     * @param session a value that is equal for all sessions that see the same table
     */
    public boolean shares(Object session, String target, TextQuery query) throws SQLException {
        List<Object> seen = List.of(session, target);
        Version version = tables.get(seen);
        if (version == null || System.nanoTime() - version.nanos > VALID_NANOS) {
            if (tables.size() >= MOST_TABLES) {
                tables.clear();
            }
            version = new Version(query.first(GroupRule.QUERY, target), System.nanoTime());
            tables.put(seen, version);
        }
        return !version.text.isEmpty();
    }

    /** Returns the same object for equal sessions, if possible, which makes comparisons quick. */
    public SessionIdentity.Equal common(SessionIdentity.Equal session) {
        SessionIdentity.Equal common = last;
        if (common == null || !common.equals(session)) {
            last = session;
            return session;
        }
        return common;
    }

    /**
     * Returns the cached description of a table; null if changes of the table must not run in groups. An old
     * description does no harm, because the server compares the description with the table before the group is
     * committed.
     */
    @Nullable
    String version(Object session, String target) {
        Version version = tables.get(List.of(session, target));
        return version == null || version.text.isEmpty() ? null : version.text;
    }

    void forgetTables() {
        tables.clear();
    }

    /**
     * Sends the work of a leader and of the members that it has taken. Usually either all of the work is stored, or
     * nothing is stored and each member runs alone. If the outcome is unknown, or the wait of all members has timed
     * out, each member receives the failure. The member creates an exception of its own from the failure.
     *
     * @return false if nothing is stored
     */
    <X extends Exception> boolean lead(Object key, List<QueueEntry> taken, Sending<X> sending) throws X {
        List<? extends @Nullable Object> results;
        taken.forEach(QueueEntry::sent);
        try {
            results = sending.send();
        } catch (Throwable e) {
            // An Error is caught too, because it may occur after the COMMIT.
            if (sending.isUndone(e)) {
                taken.forEach(QueueEntry::handBack);
                return false;
            }
            taken.forEach(each -> each.fail(e));
            throw e;
        }
        for (int i = 0; i < taken.size(); i++) {
            taken.get(i).complete(results.get(i));
        }
        sizes.done(key, 1 + taken.size());
        return true;
    }
}
