package org.rowlock.jmh.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
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
import org.openjdk.jmh.infra.Control;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * What one hot row does to the rest of a service: many threads lock it, update it and commit, and a few others read
 * unrelated rows; all of them share a small pool of connections. Without hot threads it is the idle pool to compare with.
 */
@State(Scope.Benchmark)
public class PoolBenchmark {
    private static final int HOT = 1;
    private static final int ROWS = 1_001;

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How many connections all threads share. */
    @Param("16")
    public int poolSize;

    /** How long each of the others pauses between two reads, so that they are not a crowd themselves. */
    @Param("1")
    public double pauseMillis;

    BenchmarkServer server;
    Accounts accounts;
    Transactions transactions;
    HikariDataSource pool;
    Counter counter;
    Exclusion exclusion;
    Crowd hot;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        Variant compared = Variant.parse(variant);
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, ROWS);
        counter = new Counter(server, HOT);
        exclusion = new Exclusion(1);
        hot = Crowd.of(params, 0);
        pool = server.pool(poolSize);
        transactions = new Transactions(compared, pool);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            exclusion.check();
            counter.check();
        });
    }

    @Setup(Level.Iteration)
    public void gather() {
        hot.reset();
    }

    @Benchmark
    @Group("pool")
    @GroupThreads(300)
    public void hot(Client client, Control control) throws SQLException {
        if (Crowd.rests(control)) {
            return;
        }
        hot.arrive();
        transactions.run(new Hold(accounts.key(HOT), client.lock, exclusion, 0), connection -> {
            counter.raise(connection);
            return null;
        });
        counter.committed();
    }

    @Benchmark
    @Group("pool")
    @GroupThreads(4)
    public long others(Other other, Control control) throws SQLException {
        if (Crowd.rests(control)) {
            return 0;
        }
        hot.awaitAll(control);
        Pause.millis(pauseMillis);
        int aid = HOT + other.rows.sample();
        long asked = System.nanoTime();
        try (Connection connection = pool.getConnection()) {
            long balance = Counter.read(connection, aid);
            connection.commit();
            return balance;
        } finally {
            other.read.recordSince(asked);
        }
    }

    /** A thread's own on the hot row. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
    }

    /** A thread's own on the other rows. */
    @State(Scope.Thread)
    public static class Other {
        final Latency read = Latency.of("other");
        final DiscreteSampler rows = Zipf.uniform(ROWS - HOT);
    }
}
