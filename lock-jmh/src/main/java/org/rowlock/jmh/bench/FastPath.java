package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Param;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.Sql;

/**
 * Readers of one table beside clients that truncate another, empty one. Where the two tables' locks share a partition of
 * the fast path, every reader has to go through the shared lock table instead.
 */
public class FastPath extends Workload {
    private static final int TRUNCATING = 10;

    static final Scenario SCENARIO = new Scenario(
                    "lwlocks-fastpath",
                    "Fast path: readers of a table beside clients that truncate another",
                    "A reader notes the lock of its table among its own, without the shared lock table, unless somebody holds or wants a"
                            + " strong lock of any table in the same of 1,024 partitions. Clients truncate an empty table: apart from"
                            + " the readers' partition in one variant, in it in the other. What do the readers lose, and do"
                            + " LockManager waits appear? Advisory locks always go through the shared lock table.",
                    "10 clients truncate beside 150 readers: 830,000 reads/s fall to 145,000.",
                    FastPath.class,
                    Stream.of(150, 30)
                            .map(readers ->
                                    Point.of(readers + " readers", readers).connecting(readers + TRUNCATING))
                            .toList(),
                    List.of(
                            new Variant("apart", Map.of("colliding", "false"), false),
                            new Variant("colliding", Map.of("colliding", "true"), false)),
                    List.of(Metric.throughput("reads"), Metric.neither("truncates", "truncates", "1/s")))
            .timed(Timing.THROUGHPUT);

    private static final int ROWS = 1_000;

    /** The readers. */
    @Param("150")
    public int clients;

    /** Whether what is truncated is in the readers' partition. */
    @Param({"false", "true"})
    public boolean colliding;

    @Override
    void prepare() throws SQLException {
        CollidingTables tables;
        String truncated;
        try (Connection connection = server.connect();
                Connection other = server.connect()) {
            tables = CollidingTables.create(connection);
            Sql.execute(
                    connection,
                    "insert into " + tables.hot() + " select i, i from generate_series(1, " + ROWS + ") i",
                    "vacuum analyze " + tables.hot());
            truncated = colliding ? tables.colliding() : tables.apart();
            if (tables.isFastPathBeside(truncated, connection, other) == colliding) {
                throw new UserError(
                        "This server does not sort its fast-path locks into partitions as PostgreSQL does on"
                                + " little-endian machines, so no colliding table could be found; leave lwlocks-fastpath out.");
            }
        }
        List<Connection> readers = server.sessions(clients);
        threads.add("reader", clients, number -> reader(readers.get(number), tables.hot()));
        List<Connection> truncating = server.sessions(TRUNCATING);
        threads.addBeside("truncates", TRUNCATING, number -> () -> {
            Sql.execute(truncating.get(number), "truncate " + truncated);
            return 1;
        });
    }

    private static Clients.Operation reader(Connection connection, String table) {
        DiscreteSampler ids = Zipf.uniform(ROWS);
        return () -> {
            int id = ids.sample();
            if (Sql.number(connection, "select number from " + table + " where id = ?", id) != id) {
                throw new InvariantViolation("row " + id + " of the table that nobody truncates is another");
            }
            return 1;
        };
    }
}
