package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
 * Locks as many different keys as the clients can ask for: begin, lock one of very many rows, read it, commit. Hardly
 * anybody waits for a key, so what is left is what a lock costs the server, and what its sessions wait for inside.
 */
@State(Scope.Benchmark)
public class DistinctKeysBenchmark {
    private static final String READ = "select balance from " + Accounts.TABLE + " where aid = ?";

    @Param({"ROW", "BOTH", "ADVISORY", "NAIVE", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** The rows to choose from, all equally often. */
    @Param("100000")
    public int rows;

    private BenchmarkServer server;
    private Accounts accounts;
    private Exclusion exclusion;
    private Transactions transactions;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, rows);
        exclusion = new Exclusion(rows + 1);
        transactions = new Transactions(Variant.parse(variant), server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(exclusion::check);
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        int aid = client.keys.sample();
        Hold hold = new Hold(accounts.key(aid), client.lock, exclusion, aid);
        transactions.run(hold, connection -> {
            read(connection, aid);
            return null;
        });
        Throughput.completed();
    }

    private static void read(Connection connection, int aid) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(READ)) {
            statement.setInt(1, aid);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new InvariantViolation("account " + aid + " is locked and not there");
                }
            }
        }
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
        DiscreteSampler keys;

        @Setup
        public void open(DistinctKeysBenchmark benchmark) {
            keys = Zipf.uniform(benchmark.rows);
        }
    }
}
