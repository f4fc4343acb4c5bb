package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.bench.Variant.Method;
import org.rowlock.jmh.profile.Average;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/** Workers that claim ten ready jobs at a time, finish them, and commit. A connection per thread. */
@State(Scope.Benchmark)
public class QueueBenchmark {
    private static final int AT_A_TIME = 10;

    /** Ready jobs for each worker; those that others hold at a time are a small part. */
    private static final int READY_PER_WORKER = 10 * AT_A_TIME;

    private static final int LEAST_READY = 2_000;

    @Param({"SKIP_LOCKED", "ROW", "BOTH", "ADVISORY"})
    public String variant = "";

    private final Average empty = Average.of("emptyClaims");
    BenchmarkServer server;
    JobQueue queue;
    Claiming claiming;
    Transactions transactions;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        server = BenchmarkServer.open(Map.of());
        queue = JobQueue.create(server, Math.max(LEAST_READY, params.getThreads() * READY_PER_WORKER));
        claiming = new Claiming(variant, JobQueue.TABLE, JobQueue.READY, "id", AT_A_TIME);
        transactions = new Transactions(new Variant(Method.NONE, false, false), server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(queue::check);
    }

    @Benchmark
    public void work(Worker worker, Finished finished) throws SQLException {
        long start = System.nanoTime();
        transactions.inTransaction(connection -> {
            List<Integer> ids = claiming.claim(connection);
            worker.claim.recordSince(start);
            // No violation: among many workers all jobs of a slow claim's snapshot may be finished before it gets to
            // them.
            empty.add(ids.isEmpty() ? 1 : 0, 1);
            finished.duplicates += queue.claimed(ids);
            JobQueue.finish(connection, ids);
            worker.claimed = ids.size();
            return null;
        });
        Throughput.completed(worker.claimed);
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Worker {
        final Latency claim = Latency.of("claim");
        private int claimed;
    }

    /** What JMH adds to the results: of all the time in which it calls, so no rates. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Finished {
        public long duplicates;
    }
}
