package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.List;
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
import org.rowlock.RowLockMode;
import org.rowlock.jmh.profile.Latency;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * What plain updates of hot rows suffer from others that lock these rows: bystanders update a row three times in a
 * transaction without a lock of their own, as fast as they can, while lockers lock a row, read it and commit, at a fixed
 * rate that is the same for every variant. A connection per thread.
 *
 * <p>A lock's latency counts from when it was to be asked for by the rate, even if all lockers were busy then; one that
 * was due and never came counts until the iteration's end. The throughput of the lockers says whether the rate was kept.
 */
@State(Scope.Benchmark)
public class BystanderBenchmark {
    private static final int HOT_ROWS = 100;

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /** How many transactions a second all lockers together begin. */
    @Param("100")
    public double rate;

    /** The exponent of the zipfian distribution. */
    @Param("1.1")
    public double zipf;

    BenchmarkServer server;
    Accounts accounts;
    LockedWork locked;
    Exclusion exclusion;
    Pace pace;
    final Latency untaken = Latency.of("lock");

    @Setup
    public void open(BenchmarkParams params) throws SQLException {
        pace = new Pace(rate, System::nanoTime);
        Variant compared = LockedWork.variant(variant);
        server = BenchmarkServer.open(Map.of());
        accounts = Accounts.create(server, HOT_ROWS);
        exclusion = new Exclusion(HOT_ROWS + 1);
        locked = new LockedWork(compared, server.pool(params.getThreads()));
    }

    @TearDown
    public void close() throws SQLException {
        server.closeAfter(() -> {
            exclusion.check();
            accounts.check();
        });
    }

    @Setup(Level.Iteration)
    public void reset() {
        pace.reset();
    }

    @TearDown(Level.Iteration)
    public void countUntaken() {
        pace.untaken(untaken::record);
    }

    @Benchmark
    @Group("bystander")
    @GroupThreads(40)
    public void bystanders(Bystander bystander) throws SQLException {
        long begun = System.nanoTime();
        int aid = bystander.keys.sample();
        locked.transactions().inTransaction(connection -> {
            Accounts.updateThrice(connection, aid);
            return null;
        });
        bystander.transaction.recordSince(begun);
    }

    @Benchmark
    @Group("bystander")
    @GroupThreads(10)
    public void lockers(Locker locker, Control control) throws SQLException {
        if (control.stopMeasurement) {
            pace.stop();
        }
        if (Crowd.rests(control)) {
            return;
        }
        long due = pace.next();
        Pause.until(due);
        int aid = locker.keys.sample();
        locked.run(List.of(accounts.key(aid)), RowLockMode.FOR_UPDATE, connection -> {
            exclusion.enter(aid);
            try {
                locker.lock.recordSince(due);
                return Counter.read(connection, aid);
            } finally {
                exclusion.leave(aid);
            }
        });
    }

    /** A bystander's own. */
    @State(Scope.Thread)
    public static class Bystander {
        final Latency transaction = Latency.of("bystander");
        DiscreteSampler keys;

        @Setup
        public void open(BystanderBenchmark benchmark) {
            keys = Zipf.zipf(HOT_ROWS, benchmark.zipf);
        }
    }

    /** A locker's own. */
    @State(Scope.Thread)
    public static class Locker {
        final Latency lock = Latency.of("lock");
        DiscreteSampler keys;

        @Setup
        public void open(BystanderBenchmark benchmark) {
            keys = Zipf.zipf(HOT_ROWS, benchmark.zipf);
        }
    }
}
