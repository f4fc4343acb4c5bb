package org.rowlock.jmh.profile;

import java.sql.Connection;
import java.sql.SQLException;
import org.rowlock.jmh.server.Jdbc;

/**
 * Counters of a server. The counters only grow, except that {@code multixacts} wraps around after 32 bits.
 *
 * @param deadRowVersions the row versions that updates and deletes left behind in this database
 */
record ServerCounters(long walBytes, long xids, long multixacts, long deadlocks, long deadRowVersions) {
    private static final String QUERY = """
            select case when pg_is_in_recovery() then 0
                        else pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') end::bigint,
                   pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                   mxid_age('1'::xid),
                   deadlocks,
                   tup_updated + tup_deleted
              from pg_stat_database
             where datname = current_database()
            """;

    static ServerCounters read(Connection connection) throws SQLException {
        return Jdbc.one(
                connection,
                QUERY,
                row -> new ServerCounters(
                        row.getLong(1), row.getLong(2), row.getInt(3), row.getLong(4), row.getLong(5)));
    }

    ServerCounters since(ServerCounters before) {
        return new ServerCounters(
                walBytes - before.walBytes,
                xids - before.xids,
                // The counter has 32 bits and wraps around.
                (int) (multixacts - before.multixacts),
                deadlocks - before.deadlocks,
                deadRowVersions - before.deadRowVersions);
    }

    void addTo(Published results, double operations) {
        results.put("wal", walBytes / operations, "B/op");
        results.put("xids", xids / operations, "xids/op");
        results.put("multixacts", multixacts / operations, "multixacts/op");
        results.put("deadlocks", deadlocks / operations, "deadlocks/op");
        results.put("deadTuples", deadRowVersions / operations, "tuples/op");
    }
}
