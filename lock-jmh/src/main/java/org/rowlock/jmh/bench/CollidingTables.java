package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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

    private static final String CANDIDATES = "select c.relname, " + PARTITION
            + " from pg_class c, pg_database d where d.datname = current_database()"
            + " and c.relnamespace = current_schema()::regnamespace and c.relname like 'candidate%' order by c.oid";

    private static final String PARTITIONS = "select " + PARTITION
            + " from pg_class c, pg_database d where d.datname = current_database() and c.oid in"
            + " (select ?::regclass union select indexrelid from pg_index where indrelid = ?::regclass)";

    /** A table and its partition. */
    private record Candidate(String table, int partition) {}

    /** Makes empty tables {@code (id int, number int)} until two collide, and the hot one's primary key. */
    static CollidingTables create(Connection connection) throws SQLException {
        for (int batch = 0; batch < MAX_BATCHES; batch++) {
            createBatch(connection, batch);
            List<Candidate> candidates = candidates(connection);
            for (Candidate hot : candidates) {
                for (Candidate other : candidates) {
                    if (!hot.equals(other) && hot.partition == other.partition) {
                        return of(connection, hot, other, candidates);
                    }
                }
            }
        }
        throw new IllegalStateException("No two of " + BATCH * MAX_BATCHES + " tables share one of 1024 partitions");
    }

    private static void createBatch(Connection connection, int batch) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < BATCH; i++) {
                statement.addBatch("create table candidate_" + batch + "_" + i + " (id int, number int)");
            }
            statement.executeBatch();
        }
    }

    private static List<Candidate> candidates(Connection connection) throws SQLException {
        List<Candidate> candidates = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(CANDIDATES)) {
            while (row.next()) {
                candidates.add(new Candidate(row.getString(1), row.getInt(2)));
            }
        }
        return candidates;
    }

    private static CollidingTables of(
            Connection connection, Candidate hot, Candidate colliding, List<Candidate> candidates) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("alter table " + hot.table + " add primary key (id)");
        }
        List<Integer> read = partitions(connection, hot.table);
        Candidate apart = candidates.stream()
                .filter(candidate -> !read.contains(candidate.partition))
                .findFirst()
                .orElseThrow();
        return new CollidingTables(hot.table, colliding.table, apart.table);
    }

    /** Of a table and its indexes. */
    private static List<Integer> partitions(Connection connection, String table) throws SQLException {
        List<Integer> partitions = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(PARTITIONS)) {
            statement.setString(1, table);
            statement.setString(2, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    partitions.add(row.getInt(1));
                }
            }
        }
        return partitions;
    }

    /**
     * Whether the lock of a read of the hot table keeps to the fast path while another table is locked strongly.
     *
     * @param strong for the strong lock
     * @param reader another, to read
     */
    boolean isFastPathBeside(String locked, Connection strong, Connection reader) throws SQLException {
        try (Statement locking = strong.createStatement();
                Statement reading = reader.createStatement()) {
            strong.setAutoCommit(false);
            reader.setAutoCommit(false);
            locking.execute("lock table " + locked + " in access exclusive mode");
            reading.execute("select from " + hot);
            try (ResultSet row = reading.executeQuery("select bool_and(fastpath) from pg_locks"
                    + " where pid = pg_backend_pid() and locktype = 'relation' and relation = '" + hot
                    + "'::regclass")) {
                row.next();
                return row.getBoolean(1);
            }
        } finally {
            reader.rollback();
            reader.setAutoCommit(true);
            strong.rollback();
            strong.setAutoCommit(true);
        }
    }
}
