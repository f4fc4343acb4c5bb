package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Numbers that only grow.
 *
 * @param micros the server's clock
 * @param xids the next xid
 * @param multixacts the next MultiXact, which wraps around
 * @param transactions ended in our database
 * @param deadlocks in our database
 * @param multixactLookups of pages of pg_multixact
 * @param multixactReads of those, from disk
 */
record Counters(
        long micros,
        long xids,
        int multixacts,
        long transactions,
        long deadlocks,
        long multixactLookups,
        long multixactReads) {
    /** The SLRUs are MultiXactOffset and MultiXactMember, or since PostgreSQL 17 multixact_offset and multixact_member. */
    private static final String SELECT = """
            select (extract(epoch from clock_timestamp()) * 1000000)::int8 as micros,
                   pg_snapshot_xmax(pg_current_snapshot())::text::int8 as xids,
                   mxid_age('1') as multixacts,
                   d.xact_commit + d.xact_rollback as transactions, d.deadlocks, s.lookups, s.reads
            from pg_catalog.pg_stat_database as d,
                 (select sum(blks_hit + blks_read)::int8 as lookups, sum(blks_read)::int8 as reads
                  from pg_catalog.pg_stat_slru where name ilike 'multixact%') as s
            where d.datname = current_database()
            """;

    static Counters read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SELECT)) {
            row.next();
            return new Counters(
                    row.getLong("micros"),
                    row.getLong("xids"),
                    row.getInt("multixacts"),
                    row.getLong("transactions"),
                    row.getLong("deadlocks"),
                    row.getLong("lookups"),
                    row.getLong("reads"));
        }
    }

    /** What was added between two readings. */
    static Growth growth(Counters before, Counters after) {
        return new Growth(
                Duration.ofNanos((after.micros - before.micros) * 1_000),
                after.xids - before.xids,
                // In the arithmetic of the counter itself, which wraps.
                after.multixacts - before.multixacts,
                after.transactions - before.transactions,
                after.deadlocks - before.deadlocks,
                after.multixactLookups - before.multixactLookups,
                after.multixactReads - before.multixactReads);
    }

    /**
     * What was added in a while.
     *
     * @param time the while
     * @param xids assigned, in all databases
     * @param multixacts made, in all databases
     * @param transactions ended in our database, our own few included
     */
    record Growth(
            Duration time,
            long xids,
            long multixacts,
            long transactions,
            long deadlocks,
            long multixactLookups,
            long multixactReads) {
        double perSecond(long count) {
            return time.isZero() ? 0 : count * 1e9 / time.toNanos();
        }
    }
}
