package org.rowlock.internal.group;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.QueueEntry;
import org.rowlock.internal.queue.QueueGroup;
import org.rowlock.internal.text.GroupRule;

/**
 * The state that all groups of one {@code RowLocks} object, or of the drop-in, share: the allowed sizes of groups, and
 * the descriptions of tables. This class also distributes the results of a group to its members. Thread-safe.
 *
 * <p>The allowed size of the groups of a key is a power of two. After a group was rolled back, the allowed size is half
 * of the size of that group, and then grows slowly. Keys with the same hash share one size, which affects only speed.
 * If two threads change a size at the same time, one change may be lost, which does no harm.
 */
public final class SharedTransactions {
    private static final int PLACES = 1 << 10;

    /** How many groups of the allowed size must succeed before the allowed size doubles. */
    private static final int STEPS = 16;

    /** After the server has refused a group, about this many calls run alone before the next group is tried. */
    private static final int REFUSED = 2_000;

    private static final int MOST = 1_000;
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int largest;

    /**
     * For each hash, the number of groups or calls that must succeed until the largest size is allowed again. Each
     * halving of the size adds {@link #STEPS}.
     */
    private final AtomicIntegerArray smaller = new AtomicIntegerArray(PLACES);

    /** The descriptions of tables, by the arguments {@code session} and {@code target} of {@link #look}. */
    private final ConcurrentMap<List<Object>, Version> tables = new ConcurrentHashMap<>();

    private final ConcurrentMap<SessionIdentity.Equal, SessionIdentity.Equal> sessions = new ConcurrentHashMap<>();

    /** @param largest the largest number of callers that may share a transaction; rounded down to a power of two */
    public SharedTransactions(int largest) {
        this.largest = rounded(largest);
    }

    /** Rounds down to a power of two, because the server prepares the statements of each size separately. */
    static int rounded(int size) {
        return Integer.highestOneBit(size);
    }

    int most(Object key) {
        return Math.max(1, largest >> Math.min(Integer.SIZE - 1, (smaller.get(place(key)) + STEPS - 1) / STEPS));
    }

    void done(Object key, int size) {
        if (size >= most(key)) {
            smaller.updateAndGet(place(key), steps -> Math.max(0, steps - 1));
        }
    }

    void undone(Object key, int size) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(2 * largest / rounded(size)) * STEPS);
    }

    /** Records that the server has refused a group for a reason that also applies to the next group. */
    void refused(Object key) {
        smaller.set(place(key), Integer.numberOfTrailingZeros(largest) * STEPS + REFUSED);
    }

    private static int place(Object key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    /** The server's description of a table. The text is empty if changes of the table must not run in groups. */
    private record Version(String text, long nanos) {}

    /** Returns the first column of the first row of a query, or an empty text if there is no row. */
    @FunctionalInterface
    public interface TextQuery {
        String first(String sql, String parameter) throws SQLException;
    }

    @FunctionalInterface
    interface Sending {
        /** Runs the work of all members. Returns a function from the index of a taken member to its result. */
        IntFunction<? extends @Nullable Object> send() throws SQLException;
    }

    /**
     * Returns the server's description of a table; an empty text if changes of the table must not run in groups. The
     * server's answer is reused for a few seconds.
     *
     * @param session a value that is equal for sessions that see the same tables
     */
    public String look(Object session, String target, TextQuery query) throws SQLException {
        List<Object> seen = List.of(session, target);
        Version version = tables.get(seen);
        if (version == null || System.nanoTime() - version.nanos > VALID_NANOS) {
            if (tables.size() >= MOST) {
                tables.clear();
            }
            version = new Version(query.first(GroupRule.QUERY, target), System.nanoTime());
            tables.put(seen, version);
        }
        return version.text;
    }

    /**
     * Returns the cached description of a table; null if there is none, or if changes of the table must not run in
     * groups. An old description does no harm, because the server compares the description with the table before the
     * group is committed.
     */
    @Nullable
    String version(Object session, String target) {
        Version version = tables.get(List.of(session, target));
        return version == null || version.text.isEmpty() ? null : version.text;
    }

    /** Returns the first object that was equal to the argument. */
    SessionIdentity.Equal same(SessionIdentity.Equal session) {
        if (sessions.size() >= MOST) {
            sessions.clear();
        }
        SessionIdentity.Equal known = sessions.putIfAbsent(session, session);
        return known == null ? session : known;
    }

    void forgetTables() {
        tables.clear();
    }

    /**
     * Sends the work of a leader and of the members that the leader has taken. Usually either all of the work is
     * stored, or nothing is stored and each member runs alone. If the outcome is unknown, or the wait of all members
     * has timed out, each member receives the failure. Members whose work is stored wake when the leader leaves its
     * queue.
     *
     * @param undone whether, after a failure, nothing is stored and the taken members must run alone
     * @return false if nothing is stored, and the taken members run alone
     */
    boolean lead(Object key, List<QueueEntry> taken, Sending sending, Predicate<Throwable> undone) throws SQLException {
        IntFunction<? extends @Nullable Object> results;
        taken.forEach(QueueEntry::sent);
        try {
            results = sending.send();
        } catch (Throwable e) {
            // An Error is caught too, because it may occur after the COMMIT.
            if (undone.test(e)) {
                taken.forEach(QueueGroup::handBack);
                return false;
            }
            taken.forEach(each -> QueueGroup.fail(each, e));
            throw e;
        }
        for (int i = 0; i < taken.size(); i++) {
            QueueGroup.complete(taken.get(i), results.apply(i));
        }
        done(key, 1 + taken.size());
        return true;
    }
}
