package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.rowlock.jmh.server.BenchmarkServer;

/** A table spread thinly over many pages, to read at random places, and one beside it to insert into. */
final class LookupRows {
    private static final int PER_READ = 30;
    private static final int PAGE_BYTES = 8192;
    private static final int BYTES_PER_MEGABYTE = 1 << 20;

    /** What a fillfactor of 10 leaves on a page. */
    private static final int ROWS_PER_PAGE = 22;

    private static final String READ =
            "select count(*), sum(number) from lookup where id in (?" + ", ?".repeat(PER_READ - 1) + ")";

    private final Connection monitor;
    private final int rangeRows;

    private LookupRows(Connection monitor, int rangeRows) {
        this.monitor = monitor;
        this.rangeRows = rangeRows;
    }

    /**
     * Makes them.
     *
     * @param variant {@code in-memory}, to read from a range that takes a quarter of the buffers; {@code evicting}, to read
     *     from all of the table
     * @param megabytes the most that the table may take; four times the server's buffers if that is less
     */
    static LookupRows create(BenchmarkServer server, String variant, int megabytes) throws SQLException {
        Connection monitor = server.connect();
        server.closeWith(monitor);
        try (Statement statement = monitor.createStatement()) {
            long buffers = number(statement, "select pg_size_bytes(current_setting('shared_buffers'))");
            long bytes = Math.min(4 * buffers, (long) megabytes * BYTES_PER_MEGABYTE);
            int rows = (int) (bytes / PAGE_BYTES * ROWS_PER_PAGE);
            statement.execute("create unlogged table lookup (id int, number int) with (fillfactor = 10)");
            statement.execute("insert into lookup select i, i from generate_series(1, " + rows + ") i");
            statement.execute("alter table lookup add primary key (id)");
            // Readers would otherwise have to write, to mark rows as committed.
            statement.execute("vacuum (freeze, analyze) lookup");
            statement.execute(
                    "create table entry (id bigint generated always as identity primary key, at timestamptz)");
            return new LookupRows(monitor, range(variant, rows, bytes, buffers));
        }
    }

    private static int range(String variant, int rows, long bytes, long buffers) {
        switch (variant) {
            case "in-memory" -> {
                return (int) Math.min(rows, buffers / 4 / PAGE_BYTES * ROWS_PER_PAGE);
            }
            case "evicting" -> {
                if (bytes <= buffers) {
                    System.out.println("All rows fit into the server's buffers of " + buffers / BYTES_PER_MEGABYTE
                            + " MB, so no read evicts a page. Give a smaller shared_buffers or more megabytes.");
                }
                return rows;
            }
            default -> throw new IllegalArgumentException("variant is in-memory or evicting, not " + variant);
        }
    }

    /** The pages that the server had to read into a buffer, up to now. */
    long pagesRead() throws SQLException {
        try (Statement statement = monitor.createStatement()) {
            return number(statement, "select blks_read from pg_stat_database where datname = current_database()");
        }
    }

    static PreparedStatement insert(Connection connection) throws SQLException {
        return connection.prepareStatement("insert into entry (at) values (clock_timestamp())");
    }

    /** Fails unless exactly so many were inserted. */
    void checkInserted(long inserted) throws SQLException {
        try (Statement statement = monitor.createStatement()) {
            long found = number(statement, "select count(*) from entry");
            if (found != inserted) {
                throw new InvariantViolation(inserted + " rows were inserted, and " + found + " are there");
            }
        }
    }

    Lookups lookups(Connection connection) throws SQLException {
        return new Lookups(connection.prepareStatement(READ), Zipf.uniform(rangeRows));
    }

    /** The reads of one thread. */
    static final class Lookups {
        private final PreparedStatement read;
        private final DiscreteSampler random;
        private final int[] ids = new int[PER_READ];

        private Lookups(PreparedStatement read, DiscreteSampler random) {
            this.read = read;
            this.random = random;
        }

        /** Reads rows at random places, and fails unless they are the right ones. */
        void read() throws SQLException {
            for (int i = 0; i < PER_READ; i++) {
                ids[i] = random.sample();
                read.setInt(i + 1, ids[i]);
            }
            try (ResultSet row = read.executeQuery()) {
                row.next();
                long count = Arrays.stream(ids).distinct().count();
                long sum = Arrays.stream(ids).distinct().asLongStream().sum();
                if (row.getLong(1) != count || row.getLong(2) != sum) {
                    throw new InvariantViolation("of " + count + " rows " + row.getLong(1) + " were read");
                }
            }
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
