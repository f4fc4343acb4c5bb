package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Shared locks on many neighbouring rows in one transaction, the same rows for every client, and nothing else: begin,
 * lock all in one call, commit. A connection per thread.
 */
@State(Scope.Benchmark)
public class ShareBenchmark {
    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How many rows a transaction locks; at most 1,000, as many as Rowlock's default budget has. */
    @Param("1000")
    public int rows;

    BenchmarkServer server;
    Accounts accounts;
    LockedWork locked;
    List<LockKey> keys;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        Variant compared = LockedWork.variant(variant);
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, rows);
        keys = IntStream.rangeClosed(1, rows).mapToObj(accounts::key).toList();
        locked = new LockedWork(compared, server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            new SharedHoldCheck(server, locked, keys).run();
            accounts.check();
        });
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        long asked = System.nanoTime();
        locked.run(keys, RowLockMode.FOR_SHARE, connection -> {
            client.lock.recordSince(asked);
            return null;
        });
        Throughput.completed();
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
    }
}
