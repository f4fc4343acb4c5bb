package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.rowlock.jmh.bench.TrapTable.Trap;
import org.rowlock.jmh.bench.Variant.Method;
import org.rowlock.jmh.profile.Average;
import org.rowlock.jmh.profile.Throughput;
import org.rowlock.jmh.server.BenchmarkServer;

/** Take ten rows and commit, where the plan decides how many rows a hand-written query locks. A connection per thread. */
@State(Scope.Benchmark)
public class PlanTrapBenchmark {
    private static final int WANTED = 10;

    /** One transaction in so many counts its locks, and the first of each thread and iteration. */
    private static final int SAMPLED = 20;

    @Param({"HAND_WRITTEN", "SKIP_LOCKED", "ROW", "BOTH", "ADVISORY"})
    public String variant = "";

    /** {@code filter}: beside another condition; {@code order}: under ORDER BY and LIMIT. */
    @Param("filter")
    public String trap = "";

    private final Average lockedPerReturned = Average.of("lockedPerReturned");
    private final Average returned = Average.of("returned");
    private BenchmarkServer server;
    private Claiming claiming;
    private Exclusion exclusion;
    private Transactions transactions;

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        Trap kind = Forms.parse(Trap.class, trap);
        server = BenchmarkServer.open(Map.of());
        TrapTable.create(server);
        claiming = new Claiming(variant, TrapTable.TABLE, kind.predicate, kind.order, WANTED);
        exclusion = new Exclusion(TrapTable.ROWS + 1);
        transactions = new Transactions(new Variant(Method.NONE, false, false), server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(exclusion::check);
    }

    @Benchmark
    public void transaction(Client client) throws SQLException {
        boolean sample = client.isSampleDue();
        transactions.inTransaction(connection -> {
            List<Integer> ids = claiming.claim(connection);
            for (int id : ids) {
                exclusion.enter(id);
                if (!TrapTable.isWanted(id)) {
                    throw new InvariantViolation("row " + id + " was returned and does not meet the condition");
                }
            }
            returned.add(ids.size(), 1);
            if (sample) {
                count(connection, ids.size());
            }
            for (int id : ids) {
                exclusion.leave(id);
            }
            return null;
        });
        Throughput.completed();
    }

    private void count(Connection connection, int rows) throws SQLException {
        int locked = TrapTable.locked(connection);
        if (locked < rows) {
            throw new InvariantViolation(rows + " rows were returned, and only " + locked + " of them are locked");
        }
        lockedPerReturned.add(locked, rows);
    }

    /** A thread's own. */
    @State(Scope.Thread)
    public static class Client {
        private long transactions;

        @Setup(Level.Iteration)
        public void sampleFirst() {
            transactions = 0;
        }

        boolean isSampleDue() {
            return transactions++ % SAMPLED == 0;
        }
    }
}
