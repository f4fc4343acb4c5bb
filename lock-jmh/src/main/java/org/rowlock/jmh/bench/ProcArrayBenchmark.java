package org.rowlock.jmh.bench;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.AggregationPolicy;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.profile.Gauge;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Clients that take nothing but snapshots, 30 a round trip, beside others that connect. A snapshot takes ProcArrayLock
 * shared, a new session takes it exclusively, and sharers overtake it. A transaction with an id takes it exclusively too
 * when it ends, behind which the sharers queue and new sessions get their turn.
 */
@State(Scope.Benchmark)
public class ProcArrayBenchmark {
    /** The second of the group's methods. */
    private static final int SELECT = 1;

    private static final int TIMEOUT_SECONDS = 10;

    /** {@code selects}, or {@code selects-and-xid} for one call more that assigns a transaction id. */
    @Param({"selects", "selects-and-xid"})
    public String variant = "";

    private final LongAdder xids = new LongAdder();
    private final LongAdder in = new LongAdder();
    private final LongAdder out = new LongAdder();
    private long begun;
    private BenchmarkServer server;
    private PGSimpleDataSource dataSource;
    private Sessions selecting;
    private Connection monitor;
    private Batch batch;
    private long xidsBefore;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        batch = Batch.of(variant);
        server = BenchmarkServer.open(Map.of());
        dataSource = server.dataSource();
        dataSource.setSocketTimeout(TIMEOUT_SECONDS);
        selecting = Sessions.open(server, Sessions.threads(params, SELECT));
        monitor = server.connect();
        server.closeWith(monitor);
        xidsBefore = nextXid();
    }

    @Setup(Level.Iteration)
    public void begin() {
        in.reset();
        out.reset();
        begun = System.nanoTime();
    }

    @TearDown(Level.Iteration)
    public void look() {
        double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
        Gauge.set("connections.in", in.sum() / seconds, "connections/s", AggregationPolicy.AVG);
        Gauge.set("connections.out", (double) out.sum(), "connections", AggregationPolicy.SUM);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            long assigned = nextXid() - xidsBefore;
            if (assigned < xids.sum()) {
                throw new InvariantViolation(
                        xids.sum() + " transaction ids were asked for, and " + assigned + " were assigned");
            }
        });
    }

    @Benchmark
    @Group("procarray")
    @GroupThreads(10)
    public void connect(Newcomer newcomer) throws SQLException {
        (newcomer.connect(dataSource) ? in : out).increment();
    }

    @Benchmark
    @Group("procarray")
    @GroupThreads(150)
    public void select(Client client) throws SQLException {
        client.run(batch);
        if (batch.assignsXid) {
            xids.increment();
        }
    }

    private long nextXid() throws SQLException {
        try (Statement statement = monitor.createStatement();
                ResultSet row =
                        statement.executeQuery("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** What a client sends in one round trip. */
    private record Batch(String sql, int results, boolean assignsXid) {
        private static final int SELECTS = 30;
        private static final String ALL = "select 1" + "; select 1".repeat(SELECTS - 1);

        static Batch of(String variant) {
            return switch (variant) {
                case "selects" -> new Batch(ALL, SELECTS, false);
                case "selects-and-xid" ->
                    new Batch(ALL + "; select 1 where pg_current_xact_id() is not null", SELECTS + 1, true);
                default -> throw new IllegalArgumentException("variant is selects or selects-and-xid, not " + variant);
            };
        }
    }

    /** A thread that takes snapshots. */
    @State(Scope.Thread)
    public static class Client {
        private Statement statement;

        @Setup
        public void open(ProcArrayBenchmark benchmark) throws SQLException {
            statement = benchmark.selecting.take().createStatement();
        }

        private void run(Batch batch) throws SQLException {
            int ones = 0;
            boolean more = statement.execute(batch.sql);
            while (more) {
                try (ResultSet row = statement.getResultSet()) {
                    row.next();
                    ones += row.getInt(1);
                }
                more = statement.getMoreResults();
            }
            if (ones != batch.results) {
                throw new InvariantViolation(ones + " of " + batch.results + " selects gave their 1");
            }
        }
    }

    /** A thread that connects, and goes again as soon as it is in. */
    @State(Scope.Thread)
    public static class Newcomer {
        /** The server has no room for another connection. */
        private static final String TOO_MANY_CONNECTIONS = "53300";

        private final Latency wait = Latency.of("connecting");

        /** Whether it got in. */
        private boolean connect(PGSimpleDataSource dataSource) throws SQLException {
            long asked = System.nanoTime();
            try {
                Connection connection = dataSource.getConnection();
                wait.recordSince(asked);
                connection.close();
                return true;
            } catch (SQLException e) {
                if (TOO_MANY_CONNECTIONS.equals(e.getSQLState()) || e.getCause() instanceof SocketTimeoutException) {
                    wait.recordSince(asked);
                    return false;
                }
                throw e;
            }
        }
    }
}
