package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockConnectionLostException;
import org.rowlock.RowLockMode;
import org.rowlock.jmh.net.Network;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.ServerCrash;
import org.rowlock.jmh.server.Sql;

/**
 * The server is killed while locks are held and waited for, and started again. The time is that from the kill to the
 * first lock that the new server gives, among those that were held. With the embedded server or, on one's own, with
 * {@code -Drowlock.crash-command}: see {@link ServerCrash}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class LockLoss {
    /** What one call of RowLocks may ask for. */
    private static final int AT_ONCE = 1_000;

    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** A server that vanished without a word is given up, but not one that lets a client wait for a lock. */
    private static final int SOCKET_TIMEOUT_SECONDS = 60;

    /** Between attempts to connect. Each costs a server that is starting a process. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Param({"ROW", "BOTH", "ADVISORY"})
    public Strategy strategy = Strategy.ROW;

    /** Whether the clients queue in the JVM. */
    @Param("false")
    public boolean admission;

    /** The round trip that a network between clients and server takes, in milliseconds; 0 for none of ours. */
    @Param("0")
    public double rttMillis;

    /** How many locks are held when the server is killed. At most half of what the server's lock table has room for. */
    @Param("10000")
    public int locks;

    /** They want these locks. */
    @Param("20")
    public int clients;

    private final CompletableFuture<Long> granted = new CompletableFuture<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private volatile long killed = Long.MAX_VALUE;
    private BenchmarkServer server;
    private Network network;
    private ServerCrash crash;
    private PGSimpleDataSource unpooled;
    private Locking locking;
    private int held;

    @Setup(Level.Trial)
    public void open() throws SQLException {
        server = BenchmarkServer.open(Map.of());
        boolean opened = false;
        try {
            crash = ServerCrash.of(server);
            network = server.over(rttMillis);
            held = Math.min(locks, server.lockTableRoom() / 2);
            unpooled = server.dataSource();
            unpooled.setSocketTimeout(SOCKET_TIMEOUT_SECONDS);
            Accounts.create(server, held);
            locking = new Locking(strategy, admission, unpooled, Accounts.TABLE, List.of(Accounts.ID));
            hold();
            for (int i = 0; i < clients; i++) {
                threads.add(new Thread(this::work, "rowlock-jmh-client-" + i));
            }
            threads.forEach(thread -> thread.setDaemon(true));
            threads.forEach(Thread::start);
            awaitWaiting();
            opened = true;
        } finally {
            if (!opened) {
                server.close();
            }
        }
    }

    /** Others lock all that is to be held, and change one row each without a commit. Gives their connections. */
    private List<Connection> hold() throws SQLException {
        // Other instances of the application: they do not meet the clients in a queue of the JVM.
        Locking others = new Locking(strategy, false, unpooled, Accounts.TABLE, List.of(Accounts.ID));
        List<Connection> holders = new ArrayList<>();
        for (int first = 1; first <= held; first += AT_ONCE) {
            Connection holder = server.closeWith(unpooled.getConnection());
            holders.add(holder);
            holder.setAutoCommit(false);
            List<Integer> part = IntStream.range(first, Math.min(first + AT_ONCE, held + 1))
                    .boxed()
                    .toList();
            others.lockAll(holder, part, RowLockMode.FOR_UPDATE);
            Accounts.raise(holder, first);
        }
        return holders;
    }

    /** Until one waits for a lock, as all will that the JVM lets through. */
    private void awaitWaiting() throws SQLException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try (Connection connection = server.connect()) {
            while (Sql.number(connection, "select count(*) from pg_locks where not granted") == 0) {
                if (granted.isCompletedExceptionally() || System.nanoTime() > deadline) {
                    granted.getNow(0L);
                    throw new IllegalStateException("No client waits for a lock that is held");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Locks and rolls back again and again; if the server goes away, until it is back. */
    private void work() {
        DiscreteSampler keys = Zipf.zipf(held, 1.1);
        Connection connection = null;
        try {
            while (!stopped) {
                int aid = keys.sample();
                try {
                    Connection current = connection == null ? unpooled.getConnection() : connection;
                    connection = current;
                    current.setAutoCommit(false);
                    locking.admitted(List.of(locking.key(aid)), RowLockMode.FOR_UPDATE, () -> {
                        locking.lock(current, aid);
                        // Nobody gets one of these from the old server: their holders never commit.
                        granted.complete(System.nanoTime() - killed);
                        current.rollback();
                    });
                } catch (SQLException | RuntimeException e) {
                    if (!isLost(e)) {
                        throw e;
                    }
                    close(connection);
                    connection = null;
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        } catch (SQLException | RuntimeException e) {
            granted.completeExceptionally(e);
        } finally {
            close(connection);
        }
    }

    @Benchmark
    public long killUntilFirstGrant() throws SQLException {
        killed = System.nanoTime();
        Thread crasher = new Thread(this::crash, "rowlock-jmh-crash");
        crasher.start();
        try {
            return granted.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw failed(
                    new IllegalStateException("The server was to be killed and started again, and no client has got"
                            + " a lock of a new one. Does the command do both?"));
        } catch (ExecutionException | InterruptedException e) {
            throw failed(new IllegalStateException(String.valueOf(e.getMessage()), e));
        }
    }

    private void crash() {
        try {
            crash.run();
        } catch (IOException | RuntimeException e) {
            granted.completeExceptionally(e);
        }
    }

    @TearDown(Level.Iteration)
    public void holdAgain() throws SQLException, InterruptedException {
        try {
            List<Connection> holders = hold();
            double all = (System.nanoTime() - killed) / 1e6;
            stopped = true;
            for (Connection holder : holders) {
                holder.rollback();
            }
            for (Thread thread : threads) {
                thread.join(LIMIT.toMillis());
            }
            Published results = new Published(1, 0);
            results.put("net.roundTrip", network.roundTripMillis(), "ms");
            results.put("allGranted", all, "ms");
            results.put("locksHeld", held, "");
            results.publish();
        } finally {
            server.close();
        }
    }

    /** JMH tears nothing down after a failure. */
    private IllegalStateException failed(IllegalStateException failure) throws SQLException {
        stopped = true;
        server.close();
        return failure;
    }

    /** Whether a failure means only that there is no server at the moment. */
    private static boolean isLost(Exception failure) {
        String state = failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
        return failure instanceof LockConnectionLostException || state.startsWith("08") || state.startsWith("57P0");
    }

    private static void close(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // Its server is gone.
        }
    }
}
