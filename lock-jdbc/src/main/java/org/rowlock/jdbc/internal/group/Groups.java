package org.rowlock.jdbc.internal.group;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.rowlock.internal.queue.GroupSizes;
import org.rowlock.internal.text.CatalogSql;
import org.rowlock.jdbc.internal.group.GroupSession.Asking;
import org.rowlock.jdbc.internal.group.GroupSession.Identity;

/** What the groups of one DataSource or URL have in common. Thread-safe. */
public final class Groups {
    /**
     * The driver sends a Sync, which commits, where it expects answers of 64,000 bytes, of which it counts 250 for each
     * statement.
     */
    public static final int MOST = 128;

    /** How many, if nothing else is said. */
    public static final int DEFAULT = 64;

    private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int TABLES = 1_000;

    private static final String SQL = "select " + CatalogSql.SHARES_TRANSACTIONS
            + " from pg_catalog.pg_class as c where c.oid = pg_catalog.to_regclass(?)";

    final GroupSizes sizes;
    private final Map<Table, Known> tables = new ConcurrentHashMap<>();
    private volatile @Nullable Identity last;

    /** Why a statement that waits is sent alone. */
    public enum Alone {
        /** Of what it is: not a plain prepared UPDATE of well-known functions, or a value that is not kept. */
        STATEMENT,
        /** Its session was altered, or nobody knows. */
        SESSION,
        /** Its table has triggers, rules, policies, partitions or deferred constraints, or nobody knows. */
        TABLE
    }

    private record Table(Identity identity, String name) {}

    private record Known(boolean shares, long nanos) {}

    /** @param largest how many UPDATEs may share a transaction, from 2 to {@link #MOST} */
    public Groups(int largest) {
        this.sizes = new GroupSizes(largest);
    }

    /**
     * Makes a member ready to be sent by another, or to send others.
     *
     * @param table as SQL writes it
     * @param row the same of the same row
     * @return why not; null if it is
     */
    public @Nullable Alone ready(
            GroupMember member, GroupSession session, BaseConnection driver, String table, String row, Asking asking)
            throws SQLException {
        Identity identity = session.identity(driver, asking);
        if (identity == null) {
            return Alone.SESSION;
        }
        Identity common = last;
        if (common == null || !common.equals(identity)) {
            // Those that are one are compared at once.
            last = identity;
            common = identity;
        }
        if (!shares(new Table(common, table), asking)) {
            return Alone.TABLE;
        }
        member.ready(common, row, () -> session.isReady(driver));
        return null;
    }

    private boolean shares(Table table, Asking asking) throws SQLException {
        Known known = tables.get(table);
        if (known == null || System.nanoTime() - known.nanos > VALID_NANOS) {
            if (tables.size() >= TABLES) {
                tables.clear();
            }
            Known meanwhile = new Known(known != null && known.shares, System.nanoTime());
            tables.put(table, meanwhile);
            try {
                boolean shares =
                        asking.ask(connection -> shares(connection, table.name)).equals("t");
                known = new Known(shares, System.nanoTime());
                tables.put(table, known);
            } finally {
                // If nobody has answered, the next one asks.
                tables.remove(table, meanwhile);
            }
        }
        return known.shares;
    }

    private static String shares(Connection connection, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : "";
            }
        }
    }
}
