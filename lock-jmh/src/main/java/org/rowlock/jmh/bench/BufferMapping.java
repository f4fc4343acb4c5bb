package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/**
 * Readers of 30 random rows a time beside one inserter, which is what is counted. Where the rows do not fit into the
 * server's buffers, every read takes a buffer from another page, and changes the table that says which buffer holds which
 * page.
 */
public class BufferMapping extends Workload {
    private static final Map<String, String> SETTINGS = Map.of("shared_buffers", "16MB");

    static final Scenario SCENARIO = new Scenario(
                    "lwlocks-buffers",
                    "Buffer mapping: one inserter beside readers of pages that are not in memory",
                    "Readers fetch 30 random rows a statement. In one variant these fit into shared_buffers, in the other they do"
                            + " not: then each read takes a buffer from another page, under the BufferMapping locks that"
                            + " everybody needs. What is left of the single inserter beside them? No row lock and no"
                            + " advisory lock is involved; it shows how such waits look.",
                    "150 clients, small shared_buffers, 72 vCPU: the inserter falls from 3,000 tps to 0.",
                    BufferMapping.class,
                    Stream.of(150, 30)
                            .map(readers ->
                                    Point.of(readers + " readers", readers).connecting(readers + 1))
                            .toList(),
                    List.of(
                            new Variant("in memory", Map.of("evicting", "false"), false),
                            new Variant("evicting", Map.of("evicting", "true"), false)),
                    List.of(
                            Metric.throughput("inserts"),
                            Metric.higher("reads", "reads", "1/s"),
                            Metric.neither("pages", "pages read into buffers", "1/s")))
            .timed(Timing.THROUGHPUT)
            .on(SETTINGS);

    private static final int PER_READ = 30;
    private static final int PAGE_BYTES = 8192;
    private static final long BYTES_PER_MEGABYTE = 1 << 20;

    /** What a fillfactor of 10 leaves on a page. */
    private static final int ROWS_PER_PAGE = 22;

    private static final String READ =
            "select count(*), sum(number) from lookup where id in (?" + ", ?".repeat(PER_READ - 1) + ")";

    /** The readers. */
    @Param("150")
    public int clients;

    /** Whether the readers' rows do not fit into the buffers. */
    @Param({"false", "true"})
    public boolean evicting;

    /** The most that the table may take. It is made four times as large as the server's buffers if that is less. */
    @Param("256")
    public int megabytes;

    private final LongAdder inserted = new LongAdder();
    private Connection monitor;
    private long pagesBefore;
    private long nanosBefore;

    @Override
    Map<String, String> settings() {
        return SETTINGS;
    }

    @Override
    void prepare() throws SQLException {
        monitor = server.closeWith(server.connect());
        int range = createRows();
        atEnd(this::checkInserted);
        Connection inserting = server.closeWith(server.connect());
        PreparedStatement insert = inserting.prepareStatement("insert into entry (at) values (clock_timestamp())");
        threads.add("inserter", 1, number -> () -> {
            insert.executeUpdate();
            inserted.increment();
            return 1;
        });
        List<Connection> connections = server.sessions(clients);
        threads.addBeside("reads", clients, number -> reader(connections.get(number), range));
    }

    /** Spread thinly over many pages; returns how many of them are to be read. */
    private int createRows() throws SQLException {
        long buffers = number("select pg_size_bytes(current_setting('shared_buffers'))");
        long bytes = Math.min(4 * buffers, megabytes * BYTES_PER_MEGABYTE);
        int rows = (int) (bytes / PAGE_BYTES * ROWS_PER_PAGE);
        server.execute(
                "create unlogged table lookup (id int, number int) with (fillfactor = 10)",
                "insert into lookup select i, i from generate_series(1, " + rows + ") i",
                "alter table lookup add primary key (id)",
                // Readers would otherwise have to write, to mark rows as committed.
                "vacuum (freeze, analyze) lookup",
                "create table entry (id bigint generated always as identity primary key, at timestamptz)");
        if (!evicting) {
            return (int) Math.min(rows, buffers / 4 / PAGE_BYTES * ROWS_PER_PAGE);
        }
        if (bytes <= buffers) {
            System.out.println("All rows fit into the server's buffers of " + buffers / BYTES_PER_MEGABYTE
                    + " MB, so no read evicts a page. Give a smaller shared_buffers or more megabytes.");
        }
        return rows;
    }

    private static Clients.Operation reader(Connection connection, int range) {
        DiscreteSampler random = Zipf.uniform(range);
        Integer[] ids = new Integer[PER_READ];
        return () -> {
            Arrays.setAll(ids, i -> random.sample());
            long[] read = Sql.numbers(connection, READ, (Object[]) ids);
            long count = Arrays.stream(ids).distinct().count();
            long sum = Arrays.stream(ids).distinct().mapToLong(id -> id).sum();
            if (read[0] != count || read[1] != sum) {
                throw new InvariantViolation("of " + count + " rows " + read[0] + " were read");
            }
            return 1;
        };
    }

    private long number(String sql) throws SQLException {
        return Sql.number(monitor, sql);
    }

    private long pagesRead() throws SQLException {
        return number("select blks_read from pg_stat_database where datname = current_database()");
    }

    @Override
    void begins(boolean measured) throws SQLException {
        pagesBefore = pagesRead();
        nanosBefore = System.nanoTime();
    }

    @Override
    void ends(boolean measured, double perSecond) throws SQLException {
        double seconds = (System.nanoTime() - nanosBefore) / (double) TimeUnit.SECONDS.toNanos(1);
        meter.gauge("pages", (pagesRead() - pagesBefore) / seconds, "1/s");
    }

    private void checkInserted() throws SQLException {
        long found = number("select count(*) from entry");
        if (found != inserted.sum()) {
            throw new InvariantViolation(inserted.sum() + " rows were inserted, and " + found + " are there");
        }
    }
}
