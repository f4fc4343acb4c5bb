package org.rowlock.jdbc.internal.group;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.jdbc.internal.group.GroupSession.Identity;
import org.rowlock.jdbc.internal.observe.AloneReason;
import org.rowlock.jdbc.internal.session.DriverAccess;

/** What the groups of one DataSource or URL have in common. Thread-safe. */
public final class AutocommitGroups {
    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int TABLES = 1_000;

    private static final String SQL = "select " + CatalogSql.SHARES_TRANSACTIONS
            + " from pg_catalog.pg_class as c where c.oid = pg_catalog.to_regclass(?)";

    final GroupSizes sizes;
    private final Map<Table, Known> tables = new ConcurrentHashMap<>();
    private volatile @Nullable Identity last;

    private record Table(Identity identity, String name) {}

    private record Known(boolean shares, long nanos) {}

    /** @param largest how many UPDATEs may share a transaction, at least 2 */
    public AutocommitGroups(int largest) {
        this.sizes = new GroupSizes(largest);
    }

    /**
     * Makes a member ready to be sent by another, or to send others.
     *
     * @param table as SQL writes it
     * @param row the same of the same row
     * @return why not; null if it is
     */
    public @Nullable AloneReason ready(
            GroupMember member, GroupSession session, DriverAccess access, String table, String row)
            throws SQLException {
        Identity identity = session.identity(access);
        if (identity == null) {
            return AloneReason.SESSION;
        }
        Identity common = last;
        if (common == null || !common.equals(identity)) {
            // Those that are one are compared at once.
            last = identity;
            common = identity;
        }
        if (!shares(new Table(common, table), access)) {
            return AloneReason.TABLE;
        }
        member.ready(common, table, row, session, access);
        return null;
    }

    private boolean shares(Table table, DriverAccess access) throws SQLException {
        Known known = tables.get(table);
        if (known == null || System.nanoTime() - known.nanos > VALID_NANOS) {
            if (tables.size() >= TABLES) {
                tables.clear();
            }
            Known meanwhile = new Known(known != null && known.shares, System.nanoTime());
            tables.put(table, meanwhile);
            try {
                known = new Known(access.ask(connection -> shares(connection, table.name)), System.nanoTime());
                tables.put(table, known);
            } finally {
                // If nobody has answered, the next one asks.
                tables.remove(table, meanwhile);
            }
        }
        return known.shares;
    }

    private static boolean shares(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
