package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * How long a writer waits for a row that others share all the time: each sharer begins, locks it FOR SHARE, holds it for
 * a while, commits, and begins again; the writer locks it FOR UPDATE, updates it, commits, and pauses. A connection per
 * thread.
 *
 * <p>Nothing bounds the writer's wait but the end of the iteration: then the sharers stop, and the writer gets in. Its
 * wait until then is recorded like any other, although it would have been longer.
 */
@State(Scope.Benchmark)
public class ShareFairnessBenchmark {
    private static final int ROW = 1;

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How long a sharer holds its lock. */
    @Param("20")
    public double holdMillis;

    /** How long the writer pauses after each commit, give or take a half, so that it comes at any time of a hold. */
    @Param("50")
    public double pauseMillis;

    BenchmarkServer server;
    LockedWork locked;
    List<LockKey> keys;
    Counter counter;
    Exclusion exclusion;
    Crowd sharers;
    final AtomicReference<@Nullable String> change = new AtomicReference<>();

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        Variant compared = LockedWork.variant(variant);
        server = BenchmarkServer.open(Map.of());
        keys = List.of(Accounts.create(server, ROW).key(ROW));
        counter = new Counter(server, ROW);
        exclusion = new Exclusion(1);
        sharers = Crowd.of(params, 0);
        locked = new LockedWork(compared, server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            exclusion.check();
            String changed = change.get();
            if (changed != null) {
                throw new InvariantViolation(changed);
            }
            counter.check();
        });
    }

    @Setup(Level.Iteration)
    public void gather() {
        sharers.reset();
    }

    @Benchmark
    @Group("fairness")
    @GroupThreads(8)
    public void share(Control control) throws SQLException {
        if (Crowd.rests(control)) {
            return;
        }
        locked.run(keys, RowLockMode.FOR_SHARE, connection -> {
            exclusion.enterShared(0);
            try {
                sharers.arrive();
                holdAndCompare(connection);
            } finally {
                exclusion.leaveShared(0);
            }
            return null;
        });
    }

    private void holdAndCompare(Connection connection) throws SQLException {
        long before = counter.read(connection);
        Pause.millis(holdMillis);
        long after = counter.read(connection);
        if (before != after) {
            change.compareAndSet(
                    null,
                    keys.get(0) + " was locked FOR SHARE, and another transaction changed it from " + before + " to "
                            + after);
        }
    }

    @Benchmark
    @Group("fairness")
    @GroupThreads(1)
    public void write(Writer writer, Control control) throws SQLException {
        if (Crowd.rests(control)) {
            return;
        }
        sharers.awaitAll(control);
        long asked = System.nanoTime();
        locked.run(keys, RowLockMode.FOR_UPDATE, connection -> {
            exclusion.enter(0);
            try {
                writer.wait.recordSince(asked);
                counter.raise(connection);
            } finally {
                exclusion.leave(0);
            }
            return null;
        });
        counter.committed();
        Pause.millis(pauseMillis * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
    }

    /** The writer's own. */
    @State(Scope.Thread)
    public static class Writer {
        final Latency wait = Latency.of("writer");
    }
}
