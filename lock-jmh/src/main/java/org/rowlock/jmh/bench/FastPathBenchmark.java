package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.doctor.UserError;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Readers of one table beside clients that truncate another, empty one. Where the two tables' locks share a partition of
 * the fast path, every reader has to go through the shared lock table instead.
 */
@State(Scope.Benchmark)
public class FastPathBenchmark {
    private static final int ROWS = 1_000;

    /** The methods of the group, in the order of their names. */
    private static final int READ = 0;

    private static final int TRUNCATE = 1;

    /** What is truncated: a table {@code apart} from the readers' partition, or a {@code colliding} one. */
    @Param({"apart", "colliding"})
    public String variant = "";

    private BenchmarkServer server;
    private CollidingTables tables;
    private String truncated = "";
    private Sessions readers;
    private Sessions truncaters;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        try (Connection connection = server.connect();
                Connection other = server.connect();
                Statement statement = connection.createStatement()) {
            tables = CollidingTables.create(connection);
            statement.execute("insert into " + tables.hot() + " select i, i from generate_series(1, " + ROWS + ") i");
            statement.execute("vacuum analyze " + tables.hot());
            truncated = switch (variant) {
                case "apart" -> tables.apart();
                case "colliding" -> tables.colliding();
                default -> throw new IllegalArgumentException("variant is apart or colliding, not " + variant);
            };
            if (tables.isFastPathBeside(truncated, connection, other) != variant.equals("apart")) {
                throw new UserError(
                        "This server does not sort its fast-path locks into partitions as PostgreSQL does on"
                                + " little-endian machines, so no colliding table could be found; leave lwlocks-fastpath out.");
            }
        }
        readers = Sessions.open(server, Sessions.threads(params, READ));
        truncaters = Sessions.open(server, Sessions.threads(params, TRUNCATE));
    }

    @TearDown
    public void close() throws SQLException {
        server.close();
    }

    @Benchmark
    @Group("fastpath")
    @GroupThreads(150)
    public void read(Reader reader) throws SQLException {
        reader.read();
    }

    @Benchmark
    @Group("fastpath")
    @GroupThreads(10)
    public void truncate(Truncater truncater) throws SQLException {
        truncater.truncate.execute();
    }

    /** A thread that reads. */
    @State(Scope.Thread)
    public static class Reader {
        private final DiscreteSampler ids = Zipf.uniform(ROWS);
        private PreparedStatement read;

        @Setup
        public void open(FastPathBenchmark benchmark) throws SQLException {
            read = benchmark
                    .readers
                    .take()
                    .prepareStatement("select number from " + benchmark.tables.hot() + " where id = ?");
        }

        private void read() throws SQLException {
            int id = ids.sample();
            read.setInt(1, id);
            try (ResultSet row = read.executeQuery()) {
                if (!row.next() || row.getInt(1) != id) {
                    throw new InvariantViolation("row " + id + " of the table that nobody truncates is gone");
                }
            }
        }
    }

    /** A thread that truncates. */
    @State(Scope.Thread)
    public static class Truncater {
        private PreparedStatement truncate;

        @Setup
        public void open(FastPathBenchmark benchmark) throws SQLException {
            truncate = benchmark.truncaters.take().prepareStatement("truncate " + benchmark.truncated);
        }
    }
}
