package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * The work of {@link ZipfianBenchmark} by several application instances: the threads are dealt out evenly, and those of
 * one instance share its admission queues and its connection pool, as the threads of one JVM do.
 */
@State(Scope.Benchmark)
@Threads(320)
public class InstancesBenchmark {
    private static final int HOT_ROWS = 100;

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How many application instances; no more than threads. */
    @Param({"1", "4", "10", "20", "40"})
    public int instances;

    /**
     * The connections of each instance's pool; 0 for one per thread. An instance never has more connections than threads,
     * since the others would only lie idle.
     */
    @Param("0")
    public int poolSize;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    BenchmarkServer server;
    Accounts accounts;
    Exclusion exclusion;

    /** Of each instance. */
    List<Transactions> transactions;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, HOT_ROWS);
        // One for all instances: they have nothing in common but the database, and that must keep them apart.
        exclusion = new Exclusion(HOT_ROWS + 1);
        int threads = params.getThreads();
        int count = Math.min(instances, threads);
        transactions = new ArrayList<>(count);
        for (int instance = 0; instance < count; instance++) {
            int members = (threads - instance + count - 1) / count;
            int connections = poolSize == 0 ? members : Math.min(poolSize, members);
            transactions.add(new Transactions(Variant.parse(variant), server.pool(connections)));
        }
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
        client.instance.run(hold, Accounts.add(aid), connection -> {
            Accounts.updateTwice(connection, aid);
            return null;
        });
        Throughput.completed();
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
        Transactions instance;
        DiscreteSampler keys;

        @Setup
        public void open(InstancesBenchmark benchmark, ThreadParams thread) {
            instance = benchmark.transactions.get(thread.getThreadIndex() % benchmark.transactions.size());
            keys = Zipf.zipf(HOT_ROWS, benchmark.zipf);
        }
    }
}
