package org.rowlock.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How far the server has come in three things that a lock can use up. They count for the whole server, so what other
 * sessions do meanwhile is in them. Reading them needs no privilege and uses up none of the three.
 *
 * @param walBytes the insert position of the write-ahead log
 * @param xids the next transaction id
 * @param multiXacts the next MultiXact id, from some fixed point
 */
record DemoCounters(long walBytes, long xids, long multiXacts) {
    static final DemoCounters NONE = new DemoCounters(0, 0, 0);

    /** The age of MultiXact 1 is the distance to the next one, and so goes up by one with each that is made. */
    private static final String QUERY = """
            select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint,
                   pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                   mxid_age('1'::xid)
            """;

    static DemoCounters read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY)) {
            if (!row.next()) {
                throw new SQLException("The server did not answer " + QUERY);
            }
            return new DemoCounters(row.getLong(1), row.getLong(2), row.getInt(3));
        }
    }

    DemoCounters since(DemoCounters earlier) {
        return new DemoCounters(
                walBytes - earlier.walBytes,
                xids - earlier.xids,
                // MultiXact ids are 32 bits wide and go round; the difference as an int does not mind.
                (int) (multiXacts - earlier.multiXacts));
    }

    DemoCounters plus(DemoCounters other) {
        return new DemoCounters(walBytes + other.walBytes, xids + other.xids, multiXacts + other.multiXacts);
    }
}
