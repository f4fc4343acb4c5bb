package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.AggregationPolicy;
import org.rowlock.jmh.profile.Gauge;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/** The work of {@code zipfian} while autovacuum comes to the hot rows as often as the server lets it. */
@State(Scope.Benchmark)
public class AutovacuumBenchmark {
    /** What the owner of a table may ask for. How often autovacuum looks is a setting of the server. */
    private static final String AGGRESSIVE = "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50,"
            + " autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0,"
            + " autovacuum_analyze_threshold = 50";

    private static final String STATISTICS =
            "select autovacuum_count, n_dead_tup from pg_stat_user_tables where relid = '" + Accounts.TABLE
                    + "'::regclass";

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    private final Commits commits = new Commits();
    private BenchmarkServer server;
    private HotRows rows;
    private Connection monitor;
    private long vacuumsBefore;

    /** What the server knows of the table. */
    private record Statistics(long vacuums, long deadTuples) {}

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of("autovacuum_naptime", "1s"));
        rows = HotRows.create(server, variant, AGGRESSIVE, params.getThreads());
        monitor = server.connect();
        server.closeWith(monitor);
    }

    @Setup(Level.Iteration)
    public void begin() throws SQLException {
        vacuumsBefore = statistics().vacuums;
        commits.begin(System.nanoTime());
    }

    @TearDown(Level.Iteration)
    public void look() throws SQLException {
        Statistics now = statistics();
        Gauge.set("autovacuum.stall", commits.longestGapMillis(), "ms", AggregationPolicy.MAX);
        Gauge.set("autovacuum.runs", (double) (now.vacuums - vacuumsBefore), "runs", AggregationPolicy.SUM);
        Gauge.set("autovacuum.deadTuples", (double) now.deadTuples, "tuples", AggregationPolicy.MAX);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            if (statistics().vacuums == 0) {
                System.out.println("No autovacuum came to the hot rows: the server looks every " + naptime()
                        + " (autovacuum_naptime), if at all. These figures say nothing about it.");
            }
            rows.check();
        });
    }

    private Statistics statistics() throws SQLException {
        try (Statement statement = monitor.createStatement();
                ResultSet row = statement.executeQuery(STATISTICS)) {
            row.next();
            return new Statistics(row.getLong(1), row.getLong(2));
        }
    }

    private String naptime() throws SQLException {
        try (Statement statement = monitor.createStatement();
                ResultSet row = statement.executeQuery("select current_setting('autovacuum_naptime')")) {
            row.next();
            return row.getString(1);
        }
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        rows.transaction(client.keys.sample(), client.lock);
        commits.committed(System.nanoTime());
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
        DiscreteSampler keys;

        @Setup
        public void open(AutovacuumBenchmark benchmark) {
            keys = Zipf.zipf(HotRows.ROWS, benchmark.zipf);
        }
    }
}
