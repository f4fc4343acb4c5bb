package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.rowlock.jmh.server.Sql;

/**
 * Finds tables whose relation locks meet in the server's fast path. A session that locks a table weakly, as every read
 * does, notes it among its own locks, unless somebody holds or wants a strong lock of a table in the same of 1024
 * partitions: then it takes a lock of the shared lock table, behind that table's LWLocks. Source: {@code
 * FastPathStrongLockHashPartition} and {@code LockTagHashCode} in PostgreSQL's {@code lock.c}.
 *
 * @param hot the table to read
 * @param colliding another, in the same partition
 * @param apart another, in the partition of neither the hot table nor its index
 */
record CollidingTables(String hot, String colliding, String apart) {
    /** With so many tables, the odds that no two of them collide are 1 to 8; with twice as many, 1 to 3,000. */
    private static final int BATCH = 64;

    private static final int MAX_BATCHES = 32;

    /**
     * The server's own hash function over the 16 bytes of a lock tag: database, relation, 0, and 0 as 16 bits with the lock
     * type (a relation: 0) and the lock method (the default: 1) as bytes, which a little-endian server reads as 2^24.
     */
    private static final String PARTITION =
            "(hashoidvector((d.oid || ' ' || c.oid || ' 0 16777216')::oidvector) & 1023)";

    private static final String CANDIDATES = "with candidate as (select c.oid, c.relname, " + PARTITION
            + " as partition from pg_class c, pg_database d where d.datname = current_database()"
            + " and c.relnamespace = current_schema()::regnamespace and c.relname like 'candidate%')";

    private static final String COLLIDING = CANDIDATES
            + " select hot.relname, other.relname from candidate hot join candidate other using (partition)"
            + " where hot.oid < other.oid order by hot.oid, other.oid limit 1";

    /** Makes empty tables {@code (id int, number int)} until two collide, and the hot one's primary key. */
    static CollidingTables create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int batch = 0; batch < MAX_BATCHES; batch++) {
                for (int i = 0; i < BATCH; i++) {
                    statement.addBatch("create table candidate_" + batch + "_" + i + " (id int, number int)");
                }
                statement.executeBatch();
                try (ResultSet pair = statement.executeQuery(COLLIDING)) {
                    if (pair.next()) {
                        return of(statement, pair.getString(1), pair.getString(2));
                    }
                }
            }
        }
        throw new IllegalStateException("No two of " + BATCH * MAX_BATCHES + " tables share one of 1024 partitions");
    }

    private static CollidingTables of(Statement statement, String hot, String colliding) throws SQLException {
        statement.execute("alter table " + hot + " add primary key (id)");
        String table = "'" + hot + "'::regclass";
        try (ResultSet apart = statement.executeQuery(CANDIDATES
                + " select relname from candidate where partition not in (select " + PARTITION
                + " from pg_class c, pg_database d where d.datname = current_database() and c.oid in (select " + table
                + " union select indexrelid from pg_index where indrelid = " + table + ")) order by oid limit 1")) {
            apart.next();
            return new CollidingTables(hot, colliding, apart.getString(1));
        }
    }

    /**
     * Whether the lock of a read of the hot table keeps to the fast path while another table is locked strongly.
     *
     * @param strong for the strong lock
     * @param reader another, to read
     */
    boolean isFastPathBeside(String locked, Connection strong, Connection reader) throws SQLException {
        try {
            strong.setAutoCommit(false);
            reader.setAutoCommit(false);
            Sql.execute(strong, "lock table " + locked + " in access exclusive mode");
            Sql.execute(reader, "select from " + hot);
            String fastPath = "select bool_and(fastpath) from pg_locks where pid = pg_backend_pid()"
                    + " and locktype = 'relation' and relation = '" + hot + "'::regclass";
            return Sql.one(reader, fastPath, row -> row.getBoolean(1));
        } finally {
            reader.rollback();
            reader.setAutoCommit(true);
            strong.rollback();
            strong.setAutoCommit(true);
        }
    }
}
