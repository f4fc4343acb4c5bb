package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * The published workload: pick a row by zipf(1..100, s = 1.1), begin, lock it, update it three times, commit. A
 * connection per thread.
 */
@State(Scope.Benchmark)
public class ZipfianBenchmark {
    private static final int HOT_ROWS = 100;

    /** So many that two clients seldom want the same. */
    private static final int UNIFORM_ROWS = 100_000;

    @Param({
        "ROW",
        "BOTH",
        "ADVISORY",
        "NAIVE",
        "ADVISORY+pipelined",
        "ROW+admission",
        "BOTH+admission",
        "ADVISORY+admission",
        "ADVISORY+pipelined+admission"
    })
    public String variant = "";

    /** {@code zipf} or {@code uniform}. */
    @Param("zipf")
    public String keys = "";

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    BenchmarkServer server;
    Accounts accounts;
    Transactions transactions;
    Exclusion exclusion;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        int rows = isUniform() ? UNIFORM_ROWS : HOT_ROWS;
        accounts = Accounts.create(server, rows);
        exclusion = new Exclusion(rows + 1);
        transactions = new Transactions(Variant.parse(variant), server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            exclusion.check();
            accounts.check();
        });
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        int aid = client.keys.sample();
        Hold hold = new Hold(accounts.key(aid), client.lock, exclusion, aid);
        transactions.run(hold, Accounts.add(aid), connection -> {
            Accounts.updateTwice(connection, aid);
            return null;
        });
        Throughput.completed();
    }

    private boolean isUniform() {
        return switch (keys) {
            case "zipf" -> false;
            case "uniform" -> true;
            default -> throw new IllegalArgumentException("keys is zipf or uniform, not " + keys);
        };
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
        DiscreteSampler keys;

        @Setup
        public void open(ZipfianBenchmark benchmark) {
            keys = benchmark.isUniform() ? Zipf.uniform(UNIFORM_ROWS) : Zipf.zipf(HOT_ROWS, benchmark.zipf);
        }
    }
}
