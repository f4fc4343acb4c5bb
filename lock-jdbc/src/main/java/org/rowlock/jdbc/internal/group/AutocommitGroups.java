package org.rowlock.jdbc.internal.group;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.text.GroupRule;
import org.rowlock.jdbc.internal.group.GroupSession.Identity;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.row.LockedRow;
import org.rowlock.jdbc.internal.session.DriverAccess;

/** What the groups of one DataSource or URL have in common. Thread-safe. */
public final class AutocommitGroups {
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int TABLES = 1_000;

    private static final String SQL =
            "select " + GroupRule.TABLE + " from pg_catalog.pg_class as c where c.oid = pg_catalog.to_regclass(?)";

    final GroupSizes sizes;
    private final Map<List<Object>, Known> tables = new ConcurrentHashMap<>();
    private volatile @Nullable Identity last;

    private record Known(boolean shares, long nanos) {}

    /** @param largest how many UPDATEs may share a transaction, at least 2 */
    public AutocommitGroups(int largest) {
        this.sizes = new GroupSizes(largest);
    }

    /**
     * A member that waits for its row, to be sent by another or to send others; null if it goes alone.
     *
     * @param statement the driver's, with its parameters set
     */
    public @Nullable GroupMember member(GroupSession session, LockedRow row, PreparedStatement statement)
            throws SQLException {
        Identity identity = session.identity();
        if (identity == null) {
            row.plan().figures().count(Figure.ALONE_SESSION);
            return null;
        }
        Identity common = last;
        if (common == null || !common.equals(identity)) {
            // Those that are one are compared at once.
            last = identity;
            common = identity;
        }
        if (!shares(common, row.plan().table(), session.access)) {
            row.plan().figures().count(Figure.ALONE_TABLE);
            return null;
        }
        return new GroupMember(this, session, common, row, statement);
    }

    private boolean shares(Identity identity, String table, DriverAccess access) throws SQLException {
        List<Object> key = List.of(identity, table);
        Known known = tables.get(key);
        if (known == null || System.nanoTime() - known.nanos > VALID_NANOS) {
            if (tables.size() >= TABLES) {
                tables.clear();
            }
            known = new Known(access.ask(SQL, table).equals("t"), System.nanoTime());
            tables.put(key, known);
        }
        return known.shares;
    }
}
