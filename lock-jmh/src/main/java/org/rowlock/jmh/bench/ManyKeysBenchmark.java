package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;
import org.rowlock.jmh.profile.Average;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/** Lock many rows in one statement, update them or not, commit. A connection per thread. */
@State(Scope.Benchmark)
public class ManyKeysBenchmark {
    /** So often a thread's transaction looks at the lock table, beginning with the first of an iteration. */
    private static final long SAMPLE_NANOS = 250_000_000;

    /** So many that rows are found by index, as in a table in use. */
    private static final int ROWS = 100_000;

    private static final String UPDATE =
            "update " + Accounts.TABLE + " set balance = balance + 1 where aid = any(cast(? as int4[]))";

    @Param({"FOR_UPDATE", "ROW", "BOTH", "ADVISORY", "NAIVE", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How many a transaction locks. */
    @Param("100")
    public int keys;

    /** Whether all threads lock out of the same rows, twice as many as one transaction locks, or each out of its own. */
    @Param("false")
    public boolean overlapping;

    /** Whether the locked rows are also updated, or the lock guards no write. */
    @Param("false")
    public boolean update;

    private final Average perKey = Average.of("perKey");
    private final Average lockTable = Average.of("lockTable");
    private final Average lockTableFilled = Average.of("lockTableFilled");
    private final LongAdder updates = new LongAdder();
    private BenchmarkServer server;
    private Accounts accounts;
    private ManyLocks locks;
    private Exclusion exclusion;
    private int threads;
    private int capacity;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        threads = params.getThreads();
        server = BenchmarkServer.open(Map.of());
        capacity = LockTable.capacity(server);
        if (ManyLocks.form(variant).isAdvisory()) {
            LockTable.refuseToFill(capacity, threads, keys);
        }
        int locked = overlapping ? 2 * keys : threads * keys;
        accounts = Accounts.create(server, Math.max(ROWS, locked));
        exclusion = new Exclusion(locked + 1);
        locks = new ManyLocks(variant, server.pool(threads), accounts, keys);
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            exclusion.check();
            checkUpdates();
        });
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        Integer[] aids = client.pick(keys);
        long start = System.nanoTime();
        boolean sample = client.isSampleDue(start);
        locks.run(aids, connection -> {
            client.lock.recordSince(start);
            for (int aid : aids) {
                exclusion.enter(aid);
            }
            if (update) {
                update(connection, aids);
            }
            if (sample) {
                sample(connection);
            }
            for (int aid : aids) {
                exclusion.leave(aid);
            }
            return null;
        });
        Throughput.completed();
        if (!sample) {
            // In microseconds.
            perKey.add(System.nanoTime() - start, keys * 1_000L);
        }
        if (update) {
            updates.add(keys);
        }
    }

    private static void update(Connection connection, Integer[] aids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
            statement.setArray(1, connection.createArrayOf("int4", aids));
            if (statement.executeUpdate() != aids.length) {
                throw new InvariantViolation("not all of " + aids.length + " accounts were there to be updated");
            }
        }
    }

    private void sample(Connection connection) throws SQLException {
        int held = LockTable.own(connection);
        lockTable.add(held, 1);
        lockTableFilled.add(100L * held * threads, capacity);
    }

    private void checkUpdates() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select sum(balance) from " + Accounts.TABLE)) {
            row.next();
            if (row.getLong(1) != updates.sum()) {
                throw new InvariantViolation("the balances add up to " + row.getLong(1) + " after " + updates.sum()
                        + " updates of one each");
            }
        }
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        final Latency lock = Latency.of("lock");
        private Integer[] range = {};
        private long sampleDue;

        @Setup
        public void open(ManyKeysBenchmark benchmark, ThreadParams thread) {
            int first = benchmark.overlapping ? 1 : thread.getThreadIndex() * benchmark.keys + 1;
            range = new Integer[benchmark.overlapping ? 2 * benchmark.keys : benchmark.keys];
            for (int i = 0; i < range.length; i++) {
                range[i] = first + i;
            }
        }

        @Setup(Level.Iteration)
        public void sampleFirst() {
            sampleDue = System.nanoTime();
        }

        boolean isSampleDue(long now) {
            if (now - sampleDue < 0) {
                return false;
            }
            sampleDue = now + SAMPLE_NANOS;
            return true;
        }

        /** So many different ones of the range, in any order. */
        Integer[] pick(int keys) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            Integer[] picked = new Integer[keys];
            for (int i = 0; i < keys; i++) {
                int other = random.nextInt(i, range.length);
                Integer aid = range[other];
                range[other] = range[i];
                range[i] = aid;
                picked[i] = aid;
            }
            return picked;
        }
    }
}
