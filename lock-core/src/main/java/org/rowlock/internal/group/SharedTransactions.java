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
 * What the groups of an application have in common, in whichever way they send: their sizes, the tables that were
 * looked at, and what each member is told. Thread-safe.
 */
public final class SharedTransactions {
    private static final int MOST_TABLES = 1_000;
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);

    final GroupSizes sizes;

    /** By what all sessions have in common that see the same tables, and the target. */
    private final ConcurrentMap<List<Object>, Version> tables = new ConcurrentHashMap<>();

    private volatile SessionIdentity.@Nullable Equal last;

    /** @param largest how many callers may share a transaction; 1 for none */
    public SharedTransactions(int largest) {
        this.sizes = new GroupSizes(largest);
    }

    /** What the server said of a table; empty for one whose changes go alone. */
    private record Version(String text, long nanos) {}

    /** Asks the server for the first column of the first row of a query; empty if there is none. */
    @FunctionalInterface
    public interface Asking {
        String ask(String sql, String parameter) throws SQLException;
    }

    /** Does what the members of a group want done. */
    public interface Sending<X extends Exception> {
        /** Does all of it, and returns what each of those taken is told, in their order. */
        List<? extends @Nullable Object> send() throws X;

        /** Whether nothing is stored, and each may be done alone. */
        boolean isUndone(Throwable failure);
    }

    /**
     * Whether changes of a table may share a transaction, by what the server said of it seconds ago, or says now.
     *
     * @param session equal for all sessions that see the same table
     * @param target as {@link GroupRule#target} has it
     */
    public boolean shares(Object session, String target, Asking asking) throws SQLException {
        List<Object> seen = List.of(session, target);
        Version version = tables.get(seen);
        if (version == null || System.nanoTime() - version.nanos > VALID_NANOS) {
            if (tables.size() >= MOST_TABLES) {
                tables.clear();
            }
            version = new Version(asking.ask(GroupRule.LOOK, target), System.nanoTime());
            tables.put(seen, version);
        }
        return !version.text.isEmpty();
    }

    /** The same object of sessions that are alike, mostly: these are compared at once. */
    public SessionIdentity.Equal common(SessionIdentity.Equal session) {
        SessionIdentity.Equal common = last;
        if (common == null || !common.equals(session)) {
            last = session;
            return session;
        }
        return common;
    }

    /** What the server said of a table, however long ago, for it to compare; null if it shares nothing. */
    @Nullable
    String version(Object session, String target) {
        Version version = tables.get(List.of(session, target));
        return version == null || version.text.isEmpty() ? null : version.text;
    }

    /** Has all tables looked at anew, as one has changed. */
    void forgetTables() {
        tables.clear();
    }

    /**
     * Has a leader send what it and others want done. They share its fate: all is done; or nothing is stored, and each
     * is to be done alone; or each is given the failure, of which it makes its own.
     *
     * @param taken those others, by the leader
     * @return false if nothing is stored
     */
    <X extends Exception> boolean lead(Object key, List<QueueEntry> taken, Sending<X> sending) throws X {
        List<? extends @Nullable Object> told;
        taken.forEach(QueueEntry::sent);
        try {
            told = sending.send();
        } catch (Throwable e) {
            // Throwable, as an Error may come behind the COMMIT as well.
            if (sending.isUndone(e)) {
                taken.forEach(QueueEntry::handBack);
                return false;
            }
            taken.forEach(each -> each.fail(e));
            throw e;
        }
        for (int i = 0; i < taken.size(); i++) {
            taken.get(i).complete(told.get(i));
        }
        sizes.done(key, 1 + taken.size());
        return true;
    }
}
