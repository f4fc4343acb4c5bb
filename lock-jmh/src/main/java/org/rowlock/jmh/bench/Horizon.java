package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.rowlock.jmh.profile.Gauge;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Looks at who holds the vacuum horizon back and how far, and at what that leaves behind in the table. Other users'
 * sessions are seen by members of {@code pg_read_all_stats}. Not thread-safe.
 */
final class Horizon {
    private static final String AGES = """
            select coalesce(max(age(backend_xmin)) filter (where pid = ?), 0),
                   coalesce(max(age(backend_xid)) filter (where pid = ?), 0),
                   coalesce(max(greatest(age(backend_xmin), age(backend_xid))) filter (where pid <> ?), 0)
              from (select pid, backend_xmin, backend_xid from pg_stat_activity
                     where datname = current_database() and pid <> pg_backend_pid()
                    union all select -1, xmin, null from pg_replication_slots
                    union all select -1, transaction, null from pg_prepared_xacts where database = current_database()
                    union all select -1, backend_xmin, null from pg_stat_replication) h
            """;

    private static final String DEAD =
            "select n_dead_tup from pg_stat_user_tables where relid = '" + Accounts.TABLE + "'::regclass";

    private final Connection connection;

    private Horizon(Connection connection) {
        this.connection = connection;
    }

    static Horizon of(BenchmarkServer server) throws SQLException {
        Connection connection = server.connect();
        server.closeWith(connection);
        return new Horizon(connection);
    }

    /**
     * Who holds the horizon, in transactions that began since.
     *
     * @param xminAge of the holder's snapshot; 0 if it has none
     * @param xidAge of the holder's transaction id; 0 if it has none
     * @param others of the oldest of anybody else's, be it a session, a prepared transaction, a slot or a standby
     */
    record Ages(int xminAge, int xidAge, int others) {
        /** Publishes them for this iteration. */
        void publish() {
            Gauge.set("horizon.xminAge", (double) xminAge, "xids", AggregationPolicy.MAX);
            Gauge.set("horizon.xidAge", (double) xidAge, "xids", AggregationPolicy.MAX);
            Gauge.set("horizon.others", (double) others, "xids", AggregationPolicy.MAX);
        }
    }

    /**
     * How old what holds it is.
     *
     * @param holder the pid of our holder; 0 if there is none
     */
    Ages ages(int holder) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AGES)) {
            for (int parameter = 1; parameter <= 3; parameter++) {
                statement.setInt(parameter, holder);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Ages(row.getInt(1), row.getInt(2), row.getInt(3));
            }
        }
    }

    /** Dead row versions that nothing has removed yet, as the server's statistics know them, up to a second late. */
    long deadTuples() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DEAD);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
