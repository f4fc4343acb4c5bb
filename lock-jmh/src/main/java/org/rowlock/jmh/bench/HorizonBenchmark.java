package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.runner.IterationType;
import org.rowlock.jmh.profile.Gauge;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * The work of {@code zipfian} while another transaction holds the vacuum horizon: it begins before one measured iteration
 * and ends before a later one, so that the iterations show the fall and the recovery.
 */
@State(Scope.Benchmark)
public class HorizonBenchmark {
    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** {@code snapshot} or {@code xid}. */
    @Param("snapshot")
    public String holder = "";

    /** The part of the measurement that has passed when the other transaction begins. */
    @Param("0.15")
    public double from;

    /** The part of the measurement that has passed when it ends. */
    @Param("0.75")
    public double until;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /**
     * Storage parameters of the table. Autovacuum can remove nothing while the horizon is held; that it comes to one variant
     * and not to another would only be noise.
     */
    @Param("autovacuum_enabled = off")
    public String storage = "";

    private final Commits commits = new Commits();
    private BenchmarkServer server;
    private HotRows rows;
    private Horizon horizon;
    private HoldPhases phases;
    private @Nullable HorizonHolder holding;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        rows = HotRows.create(server, variant, storage, params.getThreads());
        horizon = Horizon.of(server);
        phases = new HoldPhases(params.getMeasurement().getCount(), from, until);
    }

    @Setup(Level.Iteration)
    public void begin(IterationParams params) throws SQLException {
        if (params.getType() == IterationType.MEASUREMENT) {
            boolean held = phases.current() == HoldPhases.Phase.HELD;
            if (held && holding == null) {
                holding = HorizonHolder.begin(server, HorizonHolder.Kind.parse(holder));
            } else if (!held) {
                release();
            }
        }
        commits.begin(System.nanoTime());
    }

    @TearDown(Level.Iteration)
    public void look(IterationParams params) throws SQLException {
        if (params.getType() == IterationType.MEASUREMENT) {
            horizon.ages(holding == null ? 0 : holding.pid()).publish();
            Gauge.set("horizon.deadTuples", (double) horizon.deadTuples(), "tuples", AggregationPolicy.MAX);
            phases.measured(commits.perSecond());
        }
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            release();
            rows.check();
        });
    }

    private void release() throws SQLException {
        HorizonHolder ending = holding;
        holding = null;
        if (ending != null) {
            ending.close();
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
        public void open(HorizonBenchmark benchmark) {
            keys = Zipf.zipf(HotRows.ROWS, benchmark.zipf);
        }
    }
}
