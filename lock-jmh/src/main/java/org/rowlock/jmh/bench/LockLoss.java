package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
import org.rowlock.jmh.net.Network;
import org.rowlock.jmh.profile.Published;
import org.rowlock.jmh.scenario.Metric;
import org.rowlock.jmh.scenario.Point;
import org.rowlock.jmh.scenario.Scenario;
import org.rowlock.jmh.scenario.Timing;
import org.rowlock.jmh.scenario.Variant;
import org.rowlock.jmh.server.BenchmarkServer;
import org.rowlock.jmh.server.ServerCrash;

/**
 * The server is killed while locks are held and waited for, and started again. The time is that from the kill to the first
 * lock that the new server gives, among those that were held. Afterwards every lock is taken again, the clients go on for
 * a while, and then what they were told is compared with what the server has.
 *
 * <p>With the embedded server or, on one's own, with {@code -Drowlock.crash-command}: see {@link ServerCrash}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class LockLoss {
    static final Scenario SCENARIO = new Scenario(
                    "lock-loss",
                    "The server is killed while 10,000 locks are held",
                    "Transactions hold 10,000 locks with work that is not committed, 10 clients wait for such locks, and 10"
                            + " others commit all the time. Then the server is killed (SIGKILL) and started again; the"
                            + " clients try until it is back, and the old holders try to commit. In the end the server is"
                            + " compared with what the clients were told: each lock is a fencing token to be raised by one."
                            + " A double entry is a lock that was given while somebody was inside it whose transaction did"
                            + " commit; a lost update is a raise that is missing. One of either fails the run.",
                    "TiDB: an in-memory lock that is lost at a leader change lets a second transaction in.",
                    LockLoss.class,
                    List.of(new Point("10,000 locks", Map.of("locks", "10000", Point.CLIENTS, "20"), 40, 10_000)),
                    Variant.withAdmission(),
                    List.of(
                            Metric.lower(Metric.SCORE, "from the kill to the first lock given", "ms"),
                            Metric.lower("firstGrant", "first lock given, from connecting", "ms"),
                            Metric.lower("allGranted", "from the first connection until all are held again", "ms"),
                            Metric.lower("doubleEntries", "double entries", ""),
                            Metric.lower("lostUpdates", "lost updates", ""),
                            Metric.lower("lostCommits", "acknowledged commits lost", ""),
                            Metric.neither("commits", "commits compared", ""),
                            Metric.neither("unanswered", "commits never answered", ""),
                            Metric.neither("locksHeld", "locks held at the kill", "")))
            .timed(Timing.SHOT)
            .killing();

    private static final double NANOS_PER_MILLI = 1e6;

    /** Before the kill, and again after it. */
    private static final int COMMITS = 1_000;

    /** A server that vanished without a word is given up, but not one that lets a client wait for a lock. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);

    @Param({"ROW", "BOTH", "ADVISORY"})
    public Strategy strategy = Strategy.ROW;

    /** Whether the clients queue in the JVM. */
    @Param("false")
    public boolean admission;

    /** The round trip that a network between clients and server takes, in milliseconds; 0 for none of ours. */
    @Param("0")
    public double rttMillis;

    /**
     * How many locks are held when the server is killed. At most half of what the server's lock table has room for, as
     * nobody else may be kept from locking.
     */
    @Param("10000")
    public int locks;

    /** Half of them wait for these locks, the others work on other keys. */
    @Param("20")
    public int clients;

    BenchmarkServer server;
    Network network;
    ServerCrash crash;
    PGSimpleDataSource unpooled;
    int held;

    LossLedger ledger;
    Outage outage;
    LossHolders holders;
    LossClients crowd;
    Thread crasher;

    @Setup(Level.Trial)
    public void open() throws SQLException {
        if (clients < 2) {
            throw new IllegalArgumentException(
                    "clients is " + clients + "; give 2 at least, one to wait and one to work");
        }
        server = BenchmarkServer.open(Map.of());
        try (OnFailure cleanUp = new OnFailure()) {
            crash = ServerCrash.of(server);
            network = server.over(rttMillis);
            held = Math.min(locks, server.lockTableRoom() / 2);
            unpooled = server.dataSource();
            unpooled.setSocketTimeout((int) SOCKET_TIMEOUT.toSeconds());
            cleanUp.passed();
        }
    }

    @Setup(Level.Iteration)
    public void lock() throws SQLException {
        try (OnFailure cleanUp = new OnFailure()) {
            int keys = held + LossClients.FREE_KEYS;
            ledger = new LossLedger(keys + 1);
            Tokens.create(server, keys);
            try (Connection connection = server.connect()) {
                outage = new Outage(connection);
            }
            crowd = new LossClients(locking(), unpooled, ledger, outage, held);
            holders = LossHolders.lock(locking(), unpooled, ledger, held);
            crowd.start(clients);
            crowd.awaitCommits(COMMITS);
            crasher = new Thread(this::crash, "rowlock-jmh-crash");
            cleanUp.passed();
        }
    }

    /** For clients of one application instance, or for holders of others. */
    private Locking locking() {
        return new Locking(strategy, admission, unpooled, Tokens.TABLE, List.of("id"));
    }

    private void crash() {
        try {
            crash.run();
        } catch (IOException | RuntimeException e) {
            outage.failed(e);
        }
    }

    @Benchmark
    public long killUntilFirstGrant() throws SQLException {
        try (OnFailure cleanUp = new OnFailure()) {
            crasher.start();
            long nanos = outage.firstGrantNanos();
            cleanUp.passed();
            return nanos;
        }
    }

    @TearDown(Level.Iteration)
    public void recoverAndCompare() throws SQLException, InterruptedException {
        try (OnFailure cleanUp = new OnFailure()) {
            Published results = new Published(1, 0);
            results.put("firstGrant", outage.firstGrantNanos() / NANOS_PER_MILLI, "ms");
            results.put("net.roundTrip", network.roundTripMillis(), "ms");
            // Others are inside their locks by now, and they do not know.
            holders.commit();
            holders.close();
            holders = LossHolders.lock(locking(), unpooled, ledger, held);
            results.put("allGranted", (System.nanoTime() - outage.firstConnection()) / NANOS_PER_MILLI, "ms");
            holders.commit();
            holders.close();
            crowd.awaitCommits(COMMITS);
            crowd.close();
            crasher.join();
            outage.check();
            compare(results);
            cleanUp.passed();
        }
    }

    private void compare(Published results) throws SQLException {
        LossLedger.Verdict verdict;
        try (Connection connection = server.connect()) {
            verdict = ledger.compare(Tokens.journal(connection), Tokens.raised(connection));
        }
        results.put("locksHeld", held, "");
        results.put("commits", ledger.acknowledged(), "");
        results.put("unanswered", ledger.unanswered(), "");
        results.put("doubleEntries", verdict.doubleEntries(), "");
        results.put("lostUpdates", (double) verdict.lostUpdates(), "");
        results.put("lostCommits", verdict.lostCommits(), "");
        results.publish();
        verdict.check();
    }

    @TearDown(Level.Trial)
    public void close() throws SQLException {
        server.close();
    }

    /** JMH tears nothing down after a failure. */
    private final class OnFailure implements AutoCloseable {
        private boolean passed;

        void passed() {
            passed = true;
        }

        @Override
        public void close() throws SQLException {
            if (!passed) {
                // The set-up may not have come so far.
                if (holders != null) {
                    holders.close();
                }
                if (crowd != null) {
                    crowd.close();
                }
                server.close();
            }
        }
    }
}
