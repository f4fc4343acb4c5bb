package org.rowlock.jmh.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.rowlock.jmh.profile.Latency;
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
public class LockLossBenchmark {
    /** Before the kill, and again after it. */
    private static final int COMMITS = 1_000;

    /** A server that vanished without a word is given up, but not one that lets a client wait for a lock. */
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);

    @Param({"ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"})
    public String variant = "";

    /**
     * How many locks are held when the server is killed. At most half of what the server's lock table has room for, as
     * nobody else may be kept from locking.
     */
    @Param("10000")
    public int locks;

    /** Half of them wait for these locks, the others work on other keys. */
    @Param("20")
    public int clients;

    private final Latency firstGrant = Latency.of("firstGrant");
    private final Latency allGranted = Latency.of("allGranted");

    BenchmarkServer server;
    ServerCrash crash;
    PGSimpleDataSource unpooled;
    int held;

    LossLedger ledger;
    Outage outage;
    LossHolders holders;
    LossClients crowd;
    Thread crasher;

    /** JMH's, from the benchmark method on. */
    Counts counts = new Counts();

    /** What JMH adds to the results by the field's name. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Counts {
        /** Locks held when the server was killed. */
        public long locksHeld;

        /** Commits that the server has acknowledged, before and after. */
        public long commits;

        /** Commits asked for and not answered, since the server was gone. */
        public long unanswered;

        public long doubleEntries;
        public long lostUpdates;
        public long lostCommits;
    }

    @Setup(Level.Trial)
    public void open() throws SQLException {
        if (clients < 2) {
            throw new IllegalArgumentException(
                    "clients is " + clients + "; give 2 at least, one to wait and one to work");
        }
        server = BenchmarkServer.open(Map.of());
        boolean opened = false;
        try {
            crash = ServerCrash.of(server);
            held = Math.min(locks, lockTableRoom() / 2);
            unpooled = server.dataSource();
            unpooled.setSocketTimeout((int) SOCKET_TIMEOUT.toSeconds());
            opened = true;
        } finally {
            if (!opened) {
                server.close();
            }
        }
    }

    private int lockTableRoom() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select current_setting('max_locks_per_transaction')::int"
                        + " * (current_setting('max_connections')::int"
                        + " + current_setting('max_prepared_transactions')::int)")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Setup(Level.Iteration)
    public void lock() throws SQLException {
        try (OnFailure cleanUp = new OnFailure()) {
            Variant parsed = Variant.parse(variant);
            int keys = held + LossClients.FREE_KEYS;
            ledger = new LossLedger(keys + 1);
            try (Connection connection = server.connect()) {
                Tokens.create(connection, keys);
                outage = new Outage(connection);
            }
            crowd = new LossClients(parsed, unpooled, ledger, outage, held);
            holders = LossHolders.lock(parsed, unpooled, ledger, held);
            crowd.start(clients);
            crowd.awaitCommits(COMMITS);
            crasher = new Thread(this::crash, "rowlock-jmh-crash");
            cleanUp.passed();
        }
    }

    private void crash() {
        try {
            crash.run();
        } catch (IOException | RuntimeException e) {
            outage.failed(e);
        }
    }

    @Benchmark
    public long killUntilFirstGrant(Counts ofThread) throws SQLException {
        counts = ofThread;
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
            firstGrant.record(outage.firstGrantNanos());
            // Others are inside their locks by now, and they do not know.
            holders.commit();
            holders.close();
            holders = LossHolders.lock(Variant.parse(variant), unpooled, ledger, held);
            allGranted.record(System.nanoTime() - outage.firstConnection());
            holders.commit();
            holders.close();
            crowd.awaitCommits(COMMITS);
            crowd.close();
            crasher.join();
            outage.check();
            compare();
            cleanUp.passed();
        }
    }

    private void compare() throws SQLException {
        LossLedger.Verdict verdict;
        try (Connection connection = server.connect()) {
            verdict = ledger.compare(Tokens.journal(connection), Tokens.raised(connection));
        }
        counts.locksHeld = held;
        counts.commits = ledger.acknowledged();
        counts.unanswered = ledger.unanswered();
        counts.doubleEntries = verdict.doubleEntries();
        counts.lostUpdates = verdict.lostUpdates();
        counts.lostCommits = verdict.lostCommits();
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
