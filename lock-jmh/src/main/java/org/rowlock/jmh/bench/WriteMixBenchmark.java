package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * The mix of sysbench's oltp_write_only: a transaction updates an indexed column of one row, another column of a second,
 * and deletes a third and inserts it again. Unlike sysbench's it reads the rows first and writes what it has computed from
 * them, since without that nothing needs a lock. A connection per thread. An operation is a commit.
 */
@State(Scope.Benchmark)
@Threads(90)
public class WriteMixBenchmark {
    @Param({"OPTIMISTIC", "ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** {@code zipf} or {@code uniform}. */
    @Param("zipf")
    public String keys = "";

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    /** As many as a table of sysbench's has. */
    @Param("10000")
    public int rows;

    /** After how many retries a transaction counts as failed; TiDB's default. It is run again all the same. */
    @Param("10")
    public int mostRetries;

    BenchmarkServer server;
    WriteMix mix;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        Variant parsed = Variant.parse(variant);
        server = BenchmarkServer.open(Map.of());
        mix = new WriteMix(parsed, Items.create(server, rows), server.pool(params.getThreads()), mostRetries);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(mix::check);
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        mix.commit(client.plan(), client.transaction);
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency transaction = Latency.of("transaction");
        DiscreteSampler ids;

        @Setup
        public void open(WriteMixBenchmark benchmark) {
            ids = switch (benchmark.keys) {
                case "zipf" -> Zipf.zipf(benchmark.rows, benchmark.zipf);
                case "uniform" -> Zipf.uniform(benchmark.rows);
                default -> throw new IllegalArgumentException("keys is zipf or uniform, not " + benchmark.keys);
            };
        }

        WriteMix.Plan plan() {
            Map<Integer, WriteMix.Change> changes = new TreeMap<>();
            for (WriteMix.Change change : WriteMix.Change.values()) {
                while (changes.putIfAbsent(ids.sample(), change) != null) {
                    // Another row has it already.
                }
            }
            return new WriteMix.Plan(List.copyOf(changes.keySet()), new ArrayList<>(changes.values()));
        }
    }
}
