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
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
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
    /** Before the kill, and again after it. */
    private static final int COMMITS = 1_000;

    /** What one call of RowLocks may ask for. */
    private static final int AT_ONCE = 1_000;

    /** For the clients that do not wait. So few that they meet. */
    private static final int FREE = 100;

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

    /** Every second waits for these locks, the others work on other rows. */
    @Param("20")
    public int clients;

    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder unanswered = new LongAdder();
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
            Accounts.create(server, held + FREE);
            locking = new Locking(strategy, admission, unpooled, Accounts.TABLE, List.of(Accounts.ID));
            hold();
            for (int i = 0; i < clients; i++) {
                boolean waits = i % 2 == 0;
                threads.add(new Thread(() -> work(waits ? 0 : held, waits ? held : FREE), "rowlock-jmh-client-" + i));
            }
            threads.forEach(thread -> thread.setDaemon(true));
            threads.forEach(Thread::start);
            awaitCommits(COMMITS);
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
            Sql.updateOne(holder, "update " + Accounts.TABLE + " set balance = balance + 1000000 where aid = ?", first);
        }
        return holders;
    }

    /** Locks, raises and commits again and again; if the server goes away, until it is back. */
    private void work(int before, int rows) {
        var keys = Zipf.zipf(rows, 1.1);
        Connection connection = null;
        try {
            while (!stopped) {
                int aid = before + keys.sample();
                try {
                    Connection current = connection == null ? unpooled.getConnection() : connection;
                    connection = current;
                    current.setAutoCommit(false);
                    locking.admitted(List.of(locking.key(aid)), RowLockMode.FOR_UPDATE, () -> raise(current, aid));
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

    /** By what it has read, so that two in one lock lose an update. */
    private void raise(Connection connection, int aid) throws SQLException {
        locking.lock(connection, aid);
        if (aid <= held) {
            // Nobody gets one of these from the old server: their holders never commit.
            granted.complete(System.nanoTime() - killed);
        }
        long balance = Accounts.read(connection, aid) + 1;
        Sql.updateOne(connection, "update " + Accounts.TABLE + " set balance = ? where aid = ?", balance, aid);
        unanswered.increment();
        connection.commit();
        unanswered.decrement();
        acknowledged.increment();
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
    public void compare() throws SQLException, InterruptedException {
        try {
            for (Connection holder : hold()) {
                holder.rollback();
            }
            double all = (System.nanoTime() - killed) / 1e6;
            awaitCommits(COMMITS);
            stopped = true;
            for (Thread thread : threads) {
                thread.join(LIMIT.toMillis());
            }
            long sum = server.numbers("select sum(balance) from " + Accounts.TABLE)[0];
            Published results = new Published(1, 0);
            results.put("net.roundTrip", network.roundTripMillis(), "ms");
            results.put("allGranted", all, "ms");
            results.put("locksHeld", held, "");
            results.put("commits", (double) acknowledged.sum(), "");
            results.put("unanswered", (double) unanswered.sum(), "");
            results.put("lostUpdates", (double) Math.max(0, acknowledged.sum() - sum), "");
            results.publish();
            if (sum < acknowledged.sum() || sum > acknowledged.sum() + unanswered.sum()) {
                throw new InvariantViolation("after the crash the balances add up to " + sum + ": " + acknowledged.sum()
                        + " commits that raised one were acknowledged, and " + unanswered.sum() + " not answered");
            }
        } finally {
            server.close();
        }
    }

    private void awaitCommits(int more) {
        long enough = acknowledged.sum() + more;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (acknowledged.sum() < enough) {
            if (granted.isCompletedExceptionally() || System.nanoTime() > deadline) {
                granted.getNow(0L);
                throw new IllegalStateException("The clients have not committed within " + LIMIT.toMinutes() + " min");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
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
