package org.rowlock.jmh.bench;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.rowlock.jmh.profile.Processors;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.profile.Window;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.Network;

/**
 * The base class of benchmarks with many clients. The clients are threads of the workload. JMH's single thread returns
 * from {@link #completed} once per operation of any client, so the score is the rate of all clients together. If the
 * clients were JMH threads, the score would be the sum of their rates. For threads that queue, the sum is several times
 * the commit rate.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(1)
@Fork(3)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 1, time = 4)
public abstract class Workload {
    /**
     * The system property for the shortest warm-up, in milliseconds. 0 disables the warm-up. Without the property, only
     * JMH's own warm-up runs.
     */
    public static final String WARM_UP = "rowlock.jmh.warm-up";

    private static final int WARM_OPERATIONS = 3_000;
    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(25);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The share of a processor below which the JIT compilers have hardly any work left. */
    private static final double COMPILED = 0.05;

    /** The round-trip time between clients and server, produced by a proxy, in milliseconds; 0 for no proxy. */
    @Param("0")
    public double rttMillis;

    final Meter meter = new Meter();
    final Clients threads = new Clients(meter);
    BenchmarkServer server;
    Network network;
    private final List<BenchmarkServer.Step> checks = new ArrayList<>();
    private Window window;
    private boolean isWarm;

    /** Whether code is warmed up. Tests measure nothing and skip the warm-up. */
    public static boolean warmsUp() {
        return Long.getLong(WARM_UP, -1) != 0;
    }

    /** Creates the tables, adds the clients, and registers the checks with {@link #atEnd}. */
    abstract void prepare() throws SQLException;

    /** Registers a check that locks excluded other transactions. It runs after the clients have ended. */
    void atEnd(BenchmarkServer.Step check) {
        checks.add(check);
    }

    /** Called when a window begins, also when a window of JMH's warm-up begins. */
    void begins(IterationParams window) throws SQLException {}

    void ends(Published results) throws SQLException {}

    @Setup(Level.Trial)
    public void open(BenchmarkParams params) throws SQLException {
        if (params.getThreads() != 1) {
            throw new IllegalArgumentException(
                    "-t " + params.getThreads() + " was given, and the clients are not JMH's threads. Leave -t out,"
                            + " and give the number of clients: -p clients="
                            + params.getThreads() + ".");
        }
        if (params.getMode() != Mode.Throughput) {
            throw new IllegalArgumentException(
                    "-bm " + params.getMode().shortLabel() + " was given, and JMH can measure only the rate of the"
                            + " clients' transactions. Leave -bm out; the secondary results have the latencies.");
        }
        server = BenchmarkServer.open(Map.of());
        boolean opened = false;
        try {
            network = server.over(rttMillis);
            prepare();
            threads.start();
            opened = true;
        } finally {
            if (!opened) {
                server.close();
            }
        }
    }

    /**
     * Waits until the clients have done enough work and the JIT compilers have finished. A fixed time would favor
     * hand-written SQL, because the library has more code to compile.
     */
    private void warmUp() throws SQLException {
        long least = TimeUnit.MILLISECONDS.toNanos(Long.getLong(WARM_UP, 0));
        long begun = System.nanoTime();
        boolean isCompiling = true;
        isWarm = true;
        while (least > 0
                && System.nanoTime() - begun < WARM_NANOS
                && (isCompiling || System.nanoTime() - begun < least || threads.completed() < WARM_OPERATIONS)) {
            double before = Processors.compilerSeconds();
            LockSupport.parkNanos(LOOK_NANOS);
            isCompiling = (Processors.compilerSeconds() - before) * 1e9 > COMPILED * LOOK_NANOS;
            threads.check();
        }
    }

    @Setup(Level.Iteration)
    public void begin(IterationParams params) throws SQLException {
        if (!isWarm) {
            warmUp();
        }
        begins(params);
        window = Window.open(server, threads::completed);
        meter.reset();
        threads.forget();
    }

    @Benchmark
    public void completed() throws SQLException {
        threads.take();
    }

    @TearDown(Level.Iteration)
    public void end() throws SQLException {
        long completed = threads.completed();
        Published results = window.end(completed);
        results.put("net.roundTrip", network.roundTripMillis(), "ms");
        ends(results);
        meter.take(results);
        results.publish();
    }

    @TearDown(Level.Trial)
    public void close() throws SQLException {
        try {
            threads.stop();
            for (BenchmarkServer.Step check : checks) {
                check.run();
            }
        } finally {
            server.close();
        }
    }
}
